/// The scripts that make shells complete the command lines of a tool. They ask the tool itself for every word, by a
/// command of its own, so they never know less than the tool does.
public enum CompletionScript: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// Behind a candidate and a tab follows its help; these lines ask for paths instead.
    static let files = ":files"
    static let directories = ":directories"

    /// Returns the script for `tool`, whose words `query` followed by the words of the command line print the
    /// candidates.
    public func text(tool: String, query: String) -> String {
        switch self {
        case .bash: Self.bashText(tool, query)
        case .zsh: Self.zshText(tool, query)
        case .fish: Self.fishText(tool, query)
        }
    }

    private static func bashText(_ tool: String, _ query: String) -> String {
        """
        # Completion of \(tool) in bash: source this, or save it as
        # ~/.local/share/bash-completion/completions/\(tool)
        _\(tool)() {
            local current=${COMP_WORDS[COMP_CWORD]} line
            [[ $current == "=" ]] && current=
            COMPREPLY=()
            while IFS= read -r line; do
                case $line in
                \(files)) compopt -o filenames 2>/dev/null; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY \\
                    < <(compgen -f -- "$current") ;;
                \(directories)) compopt -o filenames 2>/dev/null; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY \\
                    < <(compgen -d -- "$current") ;;
                *) COMPREPLY+=("${line%%$'\\t'*}") ;;
                esac
            done < <("$1" \(query) -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
        }
        complete -F _\(tool) \(tool)
        """
    }

    private static func zshText(_ tool: String, _ query: String) -> String {
        """
        #compdef \(tool)
        # Completion of \(tool) in zsh: save this as _\(tool) in a directory of $fpath, or source it after compinit.
        _\(tool)() {
            local -a candidates
            local line
            for line in "${(@f)$("${words[1]}" \(query) -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
                case $line in
                (\(files)) _files ;;
                (\(directories)) _files -/ ;;
                (?*) candidates+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}") ;;
                esac
            done
            (( $#candidates )) && _describe \(tool) candidates
        }
        if [ "$funcstack[1]" = "_\(tool)" ]; then _\(tool) "$@"; else compdef _\(tool) \(tool); fi
        """
    }

    private static func fishText(_ tool: String, _ query: String) -> String {
        """
        # Completion of \(tool) in fish: save this as ~/.config/fish/completions/\(tool).fish
        function __\(tool)_complete
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            for line in ($words[1] \(query) -- $words[2..-1] "$current" 2>/dev/null)
                switch $line
                    case '\(files)'
                        __fish_complete_path "$current"
                    case '\(directories)'
                        __fish_complete_directories "$current"
                    case '*'
                        echo $line
                end
            end
        end
        complete -c \(tool) -f -a '(__\(tool)_complete)'
        """
    }
}

extension Completion {
    /// The lines that the scripts of ``CompletionScript`` read.
    public var lines: [String] {
        candidates.map { "\($0.word)\t\($0.help)" } + (includesFiles ? [CompletionScript.files] : [])
            + (includesDirectories ? [CompletionScript.directories] : [])
    }
}
