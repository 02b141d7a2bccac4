# Completion of foliot for bash: the program says what can come next.

# _foliot_plain WORD: what the shell would make of quotes and backslashes in it, into `plain`. Nothing is run.
_foliot_plain()
{
    local word=$1 quote='' letter i
    plain=''
    for ((i = 0; i < ${#word}; i++)); do
        letter=${word:i:1}
        if [[ $letter == "$quote" ]]; then
            quote=''
        elif [[ -z $quote && $letter == [\'\"] ]]; then
            quote=$letter
        elif [[ $quote != \' && $letter == \\ ]]; then
            i=$((i + 1))
            plain+=${word:i:1}
        else
            plain+=$letter
        fi
    done
}

_foliot()
{
    local words=() word line at i plain
    # bash cuts words at '=': what belongs together is put together again
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((${#words[@]})) && { [[ $word == = ]] || [[ ${COMP_WORDS[i - 1]} == = ]]; }; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    for i in "${!words[@]}"; do
        _foliot_plain "${words[i]}"
        words[i]=$plain
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
            [[ $word == *[!A-Za-z0-9_./:=,+-]* ]] && compopt -o filenames 2>/dev/null # so that it is quoted
            [[ $word == *. ]] && compopt -o nospace 2>/dev/null # a package: its classes follow
            COMPREPLY+=("$word")
        fi
    done < <("${COMP_WORDS[0]}" help --complete -- "${words[@]}" 2>/dev/null)
}
complete -F _foliot foliot
