# Completion in real shells: bash, and zsh and fish where they are installed.
#
#   completion.sh FOLIOT SOURCE
set -u
foliot=$1
scripts=$2/src/cli/completion
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir data
touch wave.csv own.mo "data/a b.csv" 'odd$(touch run)it'"'s.mo"
# A library of the user's: classes are offered step by step, what cannot be run is not.
mkdir -p library/Lib/Inner
cat >library/Lib/package.mo <<'END'
package Lib "A library"
  model Pump "Runs" Real x = 1; end Pump;
  partial model Part Real x; end Part;
  function pull input Real u; output Real y; algorithm y := u; end pull;
end Lib;
END
echo 'within Lib; package Inner "More" model Deep Real x = 2; end Deep; end Inner;' >library/Lib/Inner/package.mo
printf 'Inner\n' >library/Lib/package.order
echo 'package Alone model Only Real x = 1; end Only; end Alone;' >library/Alone.mo
MODELICAPATH=$work/library
export MODELICAPATH
PATH=$(dirname "$foliot"):$PATH
export PATH
passed=0
failed=0

# expect SHELL LINE WORD...: these words are offered after the line; "!word": this one is not.
expect()
{
    shell=$1
    line=$2
    shift 2
    "offers_$shell" "$line" >offered 2>errors
    for word; do
        case $word in
        !*) grep -qxF -e "${word#!}" offered && bad=yes || bad=no ;;
        *) grep -qxF -e "$word" offered && bad=no || bad=yes ;;
        esac
        if [ "$bad" = no ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "$shell: '$line' offers not as expected '$word':"
            tail -n 20 offered errors
        fi
    done
}

# As readline calls it: words cut at blanks and at '=', the last one to be completed.
cat >bash_offers <<'END'
source "$1"
COMP_LINE=$2
COMP_POINT=${#2}
COMP_WORDS=()
for word in ${2//=/ = }; do COMP_WORDS+=("$word"); done
[[ $2 == *" " ]] && COMP_WORDS+=("")
[[ $2 == *= ]] && [[ ${COMP_WORDS[-1]} != = ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
complete -p foliot >/dev/null || exit 1
_foliot
printf '%s\n' "${COMPREPLY[@]}"
END
offers_bash() { bash --norc bash_offers "$scripts/foliot.bash" "$1"; }
# fish has a command for it.
offers_fish() { fish --no-config -c "source '$scripts/foliot.fish'; complete -C '$1'" | cut -f 1; }

all() # all SHELL SOLVER OUTPUT: what the shell leaves of '--solver=' and '--output=' in its words
{
    expect "$1" "foliot r" run !live
    expect "$1" "foliot " run live cluster models help
    expect "$1" "foliot --v" --version
    expect "$1" "foliot run wave-2" wave-2d wave-2d-middle !ball
    expect "$1" "foliot run w" wave-2d wave.csv
    expect "$1" "foliot run own" own.mo
    expect "$1" "foliot run ball --sol" --solver !--set
    expect "$1" "foliot run ball --solver rk" rk4 !wave.csv !heun
    expect "$1" "foliot run ball --solver=rk" "$2rk4" !heun
    expect "$1" "foliot run ball --output wa" wave.csv !wave-2d
    expect "$1" "foliot run ball --output=wa" "$3wave.csv" !wave-2d
    expect "$1" "foliot live ball --policy " warn degrade
    expect "$1" "foliot run pendulum.mo --program " machine native !wave.csv
    expect "$1" "foliot help li" live
    expect "$1" "foliot nodes Ga" Gain
    expect "$1" "foliot show ball -" --equations --help
    expect "$1" "foliot nonsense x" !run !wave.csv
    expect "$1" "foliot run Li" Lib. !Alone.
    expect "$1" "foliot run Al" Alone.
    expect "$1" "foliot run Lib." Lib.Pump Lib.Inner. !Lib.Part !Lib.pull !Lib.Inner.Deep
    expect "$1" "foliot run Lib.Inner.D" Lib.Inner.Deep !Lib.Pump
    expect "$1" "foliot check Alone." Alone.Only
}

all bash "" ""
# Names that the shell would obey, and what it has quoted of them already.
odd='odd$(touch run)it'"'s.mo"
expect bash 'foliot check odd' "$odd"
expect bash 'foliot check odd\$\(' "$odd"
expect bash "foliot check 'odd\$(" "$odd"
expect bash 'foliot run ball --output=odd\$' "$odd"
expect bash 'foliot check odd$(touch' !odd !run
[ ! -e run ] || { failed=$((failed + 1)); echo "a name was run"; }
[ -z "$(offers_bash "foliot run ball --solver nonsense")" ] || { echo "offers for nonsense"; failed=$((failed + 1)); }
if command -v fish >/dev/null; then all fish "--solver=" "--output="; else echo "note: no fish, not tried"; fi
if command -v zsh >/dev/null; then
    # Tab in an interactive zsh, through a terminal of its own; what it lists is read until it stops.
    cat >zsh_offers <<'END'
zmodload zsh/zpty
zpty shell "zsh -f -i"
zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -d $PWD/dump; cd $PWD"
zpty -w shell "zstyle ':completion:*' list-grouped no; zstyle ':completion:*' verbose no; setopt auto_list; LISTMAX=0; unsetopt list_ambiguous; COLUMNS=40; echo rea''dy"
zpty -r -m shell said '*ready*'
zpty -n -w shell "$2"$'\t'
for i in {1..40}; do
    sleep 0.05
    while zpty -r -t shell some; do said+=$some; i=1; done
done
print -r -- "$said"
zpty -d shell
END
    offers_zsh() { timeout 20 zsh -f zsh_offers "$scripts" "$1" | sed 's/\x1b\[[0-9;?]*[a-zA-Z]/ /g; s/\r/ /g' | tr ' ' '\n' | grep .; }
    expect zsh "foliot run wave-2" wave-2d wave-2d-middle
    expect zsh "foliot run ball --solver rk" rk4 rkf45
    expect zsh "foliot help c" cluster check
else
    echo "note: no zsh, not tried"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
