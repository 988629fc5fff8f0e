// Apple's module `os`; `import os.log` works, too.
@_exported import StratusLogging
@_exported import os
