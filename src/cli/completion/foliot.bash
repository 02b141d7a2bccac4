# Completion of foliot for bash: the program says what can come next.
_foliot()
{
    local words=() word line at i
    # bash cuts words at '=': what belongs together is put together again
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((${#words[@]})) && { [[ $word == = ]] || [[ ${COMP_WORDS[i - 1]} == = ]]; }; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    at=${words[-1]}
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            compopt -o filenames 2>/dev/null
            while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "${at#*=}")
        else
            word=${line%%$'\t'*}
            [[ $at == -*=* ]] && word=${word#*=}
            [[ $word == *" "* ]] && compopt -o filenames 2>/dev/null # so that it is quoted
            [[ $word == *. ]] && compopt -o nospace 2>/dev/null # a package: its classes follow
            COMPREPLY+=("$word")
        fi
    done < <("${COMP_WORDS[0]}" help --complete -- "${words[@]}" 2>/dev/null)
}
complete -F _foliot foliot
