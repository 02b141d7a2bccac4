# Completion of foliot for fish: the program says what can come next.
function __foliot_complete
    set -l words (commandline -opc)
    set -l at (commandline -ct)
    for line in ($words[1] help --complete -- $words[2..-1] $at 2>/dev/null)
        if test "$line" = :files
            set -l before (string match -r '^-[^=]*=' -- $at)
            printf '%s\n' "$before"(__fish_complete_path (string replace -- "$before" '' $at))
        else
            printf '%s\n' $line
        end
    end
end
complete -c foliot -f -a '(__foliot_complete)'
