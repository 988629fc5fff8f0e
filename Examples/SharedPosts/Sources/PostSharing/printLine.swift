import Foundation

/// Prints a line at once, also where the output is not a terminal.
package func printLine(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
