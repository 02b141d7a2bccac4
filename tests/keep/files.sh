#!/bin/sh
# Files that a document names: it reads and writes in the present folder, or under --files.
#
#   files.sh FOLIOT
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"

# sink TYPE FILE, source FILE: diagrams that write and read one.
sink()
{
    cat <<END
{"format": "foliot diagram", "version": 1, "name": "d",
 "simulation": {"start": 0, "stop": 1, "integrator": "RK_04", "step": 0.25},
 "nodes": [{"name": "one", "type": "Constant"},
           {"name": "keep", "type": "$1", "parameters": {"File Name": "$2"}}],
 "lines": [{"from": "one", "to": "keep"}]}
END
}
reads()
{
    cat <<END
{"format": "foliot diagram", "version": 1, "name": "d",
 "simulation": {"start": 0, "stop": 1, "integrator": "RK_04", "step": 0.25},
 "nodes": [{"name": "old", "type": "From Data File", "parameters": {"File Name": "$1"}},
           {"name": "out", "type": "Time vs Input"}],
 "lines": [{"from": "old", "to": "out"}]}
END
}

sink "To File" made.txt >good.json
run run good.json --quiet
expect 0
equal "lines" "$(wc -l <made.txt)" 5
run run good.json --quiet # what it made itself it may replace
expect 0
sink "To Data File" made.dat >data.json
run run data.json --quiet
expect 0
equal "the head" "$(head -n 1 made.dat)" "foliot data 1"
run run data.json --quiet
expect 0
reads made.dat >read.json
run run read.json --quiet
expect 0

# Links that came with the document lead nowhere, wherever they stand in the path; the folder itself may be one.
mkdir -p inside/deep outside
echo precious >outside/there.txt
cp made.dat outside/there.dat
ln -s ../outside inside/away
ln -s "$PWD/outside" inside/deep/away
ln -s ../outside/new.txt inside/new.txt
ln -s ../outside/there.txt inside/there.txt
ln -s ../outside/there.dat inside/there.dat
ln -s inside front
cd inside || exit 1
for path in away/new.txt deep/away/new.txt new.txt there.txt deep/../away/new.txt ./away/./new.txt; do
    for type in "To File" "To Data File"; do
        sink "$type" "$path" >../out.json
        run check ../out.json
        expect 1
        refusal=$err
        run run ../out.json --quiet
        expect 1
        equal "what check says" "${refusal#*: }" "${err#*: }"
        equal "what was made outside" "$(ls ../outside)" "$(printf 'there.dat\nthere.txt')"
        equal "what was there" "$(cat ../outside/there.txt)" precious
    done
done
for path in there.dat away/there.dat deep/away/there.dat; do
    reads "$path" >../out.json
    for verb in check run; do
        run $verb ../out.json
        expect 1
        says "a link in the folder is not followed"
    done
done
sink "To File" deep/made.txt >../out.json
run run ../out.json --quiet
expect 0
cd ..
sink "To File" deep/more.txt >out.json
run run out.json --quiet --files front
expect 0
equal "lines" "$(wc -l <inside/deep/more.txt)" 5
sink "To File" "$PWD/front/deep/third.txt" >out.json
run run out.json --quiet --files "$PWD/front"
expect 0
equal "lines" "$(wc -l <inside/deep/third.txt)" 5
sink "To File" away/new.txt >out.json
run run out.json --quiet --files inside
expect 1
says "a link in the folder is not followed"
run run out.json --quiet --files inside/../front/
expect 1
mkdir parts
ln -s "$PWD/outside/there.txt" parts/part.json
cat >parts/whole.json <<'END'
{"format": "foliot diagram", "version": 1, "name": "d",
 "simulation": {"start": 0, "stop": 1, "integrator": "RK_04", "step": 0.25},
 "nodes": [{"name": "s", "type": "Structure", "parameters": {"File Name": "part.json"}}], "lines": []}
END
run check parts/whole.json
expect 1
says "a link in the folder is not followed"

# Out of the folder: refused by run and by check, and nothing is made.
mkdir -p other
for path in "$PWD/abs.txt" ../up.txt other/../../up.txt /etc/passwd; do
    for type in "To File" "To Data File"; do
        sink "$type" "$path" >out.json
        for verb in run check; do
            run $verb out.json
            [ "$status" -ne 0 ] || fail "it was not refused: $path"
            says "leads out of it"
        done
    done
    reads "$path" >out.json
    run check out.json
    [ "$status" -ne 0 ] || fail "it was not refused: $path"
    says "leads out of it"
    for type in Structure Field; do
        sed "s#From Data File#$type#" out.json >part.json
        run check part.json
        [ "$status" -ne 0 ] || fail "it was not refused: $path"
        says "leads out of it"
    done
done
# A part beside the document is found there, wherever the program was started.
run export mass-on-a-beam --document --output other/part.structure.json
expect 0
reads part.structure.json | sed 's#From Data File#Structure#' >other/whole.json
run check other/whole.json
[ "${err#*cannot open}" = "$err" ] || fail "the part was not found: $err"
[ "${err#*leads out}" = "$err" ] || fail "the part was refused: $err"
[ ! -e abs.txt ] && [ ! -e ../up.txt ] || fail "a file was made"

# --files: relative names are in it, absolute ones must be.
run run good.json --quiet --files other
expect 0
equal "lines" "$(wc -l <other/made.txt)" 5
sink "To File" "$PWD/other/abs.txt" >abs.json
run run abs.json --quiet --files "$PWD/other"
expect 0
equal "lines" "$(wc -l <other/abs.txt)" 5
run run abs.json --quiet --files "$PWD/oth"
expect 1
says "leads out of it"
sink "To File" ../up.txt >out.json
run run out.json --quiet --files other
expect 1
says "leads out of it"

# Devices, FIFOs and folders are nothing to read or write; nobody waits for them.
mkfifo pipe
reads pipe >fifo.json
for verb in check run; do
    run $verb fifo.json
    [ "$status" -ne 0 ] || fail "a FIFO was read"
    says "it is no plain file"
done
for path in pipe other; do
    sink "To File" $path >fifo.json
    run run fifo.json --quiet
    expect 1
    says "cannot write the file '$path'"
    for options in "" --json --overwrite; do
        # shellcheck disable=SC2086 # one or none
        run check fifo.json $options
        expect 1
        contains "$out$err" "cannot write the file '$path'" || fail "$out$err"
    done
done
sink "To File" /dev/full >device.json
for verb in check "run --quiet"; do
    # shellcheck disable=SC2086 # words
    run $verb device.json --files /dev
    expect 1
    says "it is no plain file"
done
# A file that could be made is not made by a check; a folder that is not there, or closed, is said.
sink "To File" not-yet.txt >later.json
run check later.json
expect 0
[ ! -e not-yet.txt ] || fail "check made a file"
sink "To File" nowhere/made.txt >later.json
for verb in check "run --quiet"; do
    # shellcheck disable=SC2086 # words
    run $verb later.json
    expect 1
    says "cannot write the file 'nowhere/made.txt': No such file or directory"
done

# A file that no such node has written stays as it is.
for type in "To File" "To Data File"; do
    echo "my letters" >letters.txt
    sink "$type" letters.txt >letters.json
    run check letters.json
    expect 1
    says "it is there and is not what this document writes (--overwrite replaces it)"
    run check letters.json --overwrite
    expect 0
    equal "the file" "$(cat letters.txt)" "my letters"
    run run letters.json --quiet
    expect 1
    says "it is there and is not what this document writes (--overwrite replaces it)"
    equal "the file" "$(cat letters.txt)" "my letters"
    run run letters.json --quiet --overwrite
    expect 0
    [ "$(cat letters.txt)" != "my letters" ] || fail "--overwrite replaced nothing"
done

# Nor are they replaced by what is renamed into their place.
cat >unit.mo <<'END'
model unit
  Real x(start = 1);
equation
  der(x) = -x;
end unit;
END
mkfifo pipe.fmu
for options in "" --overwrite; do
    # shellcheck disable=SC2086 # one or none
    run export unit.mo --fmu pipe.fmu $options
    expect 1
    says "cannot write pipe.fmu: it is no plain file"
done
[ -p pipe.fmu ] || fail "the FIFO is gone"

# Files of one run that are the same, by whatever name, would destroy each other.
mkdir -p twice
ln -sf twice again
: >twice/one.csv
ln -f twice/one.csv twice/other.csv
for pair in "--output twice/a.csv --checkpoint twice/a.csv" "--output twice/a.csv --checkpoint twice//a.csv" \
    "--output twice/a.csv --events again/a.csv" "--events twice/a.csv --checkpoint again/./a.csv" \
    "--output twice/one.csv --events twice/other.csv" "--events twice/g.dat --gnuplot twice/g" \
    "--checkpoint twice/g.gp --gnuplot again/g" "--output twice/g.png --gnuplot twice/g" \
    "--events twice/g.svg --gnuplot twice/g.svg" "--events twice/g.dat.new --gnuplot twice/g" \
    "--output twice/k.new --checkpoint twice/k" "--events again/k.lock --checkpoint twice/k"; do
    # shellcheck disable=SC2086 # words
    run run ball --quiet $pair
    expect 2
    says "name the same file"
done
for pair in "--bode twice/a.csv --nyquist again/a.csv" "--mat twice/a --root-locus twice/a" \
    "--bode twice/a.new --nichols twice/a" "--step-response twice/p-bode.dat --gnuplot twice/p"; do
    # shellcheck disable=SC2086 # words
    run linearize unit.mo --quiet $pair
    expect 2
    says "name the same file"
done
for pair in "--output twice/s.dat --gnuplot twice/s" "--output twice/s --parallel again/s" \
    "--output twice/s --parallel twice/s.sweep"; do
    # shellcheck disable=SC2086 # words
    run sweep unit.mo --vary x=1:2:3 --measure 'max(x)' --quiet $pair
    expect 2
    says "name the same file"
done
cp unit.mo twice.mo
run run twice.mo --quiet --output ./twice.mo --overwrite
expect 2
says "the model and --output name the same file"
equal "the model" "$(cmp unit.mo twice.mo)" ""
# So would two sinks of a document; check says what run does.
for names in "same.txt same.txt" "same.txt ./same.txt" "twice/same.txt twice//same.txt" "twice/one.csv twice/other.csv"; do
    for type in "To File" "To Data File"; do
        cat >sinks.json <<END
{"format": "foliot diagram", "version": 1, "name": "d",
 "simulation": {"start": 0, "stop": 1, "integrator": "RK_04", "step": 0.25},
 "nodes": [{"name": "one", "type": "Clock"},
           {"name": "keep", "type": "To File", "parameters": {"File Name": "${names% *}"}},
           {"name": "more", "type": "$type", "parameters": {"File Name": "${names#* }"}}],
 "lines": [{"from": "one", "to": "keep", "branches": [{"to": "more"}]}]}
END
        for verb in "check" "run --quiet" "run --quiet --overwrite"; do
            # shellcheck disable=SC2086 # words
            run $verb sinks.json
            expect 1
            says "node 'more': cannot write the file '${names#* }': node 'keep' of this document writes it"
        done
    done
done
[ ! -e same.txt ] || fail "a file was made"
equal "what was made" "$(ls twice)" "$(printf 'one.csv\nother.csv')"

# Nothing takes the place of a file that a run is writing, also not what is renamed into it.
"$foliot" run lorenz --stop 1e9 --quiet --output held.csv >.held 2>&1 &
holder=$!
tries=0
until [ -s held.csv ]; do
    [ $((tries += 1)) -le 500 ] || fail "no rows: $(cat .held)"
    sleep 0.02
done
for arguments in "run ball --checkpoint" "live ball --plain --stop 0.1 --record" "steady lorenz --output"; do
    # shellcheck disable=SC2086 # words
    run $arguments held.csv --quiet --overwrite
    expect 1
    says "another run is writing"
done
kill $holder
wait $holder 2>/dev/null
equal "the first line" "$(head -n 1 held.csv)" "time,x,y,z"
rm -f held.csv

# What does not fit is not counted: the report says what the file has. (Where a program counts which of its lines are
# reached, the limit would cut that file, too, and others that go on with it would complain: there it counts nothing.)
for file in big.csv big.json big.mat; do
    rm -f $file
    last="run ball --output $file (8 KiB)"
    (ulimit -f 16 && LLVM_PROFILE_FILE=/dev/null "$foliot" run ball --output $file >.out 2>.err)
    status=$? out=$(cat .out) err=$(cat .err)
    expect 1
    says "writing $file failed after "
    rows=${err#*failed after }
    rows=${rows%% *}
    [ "$rows" -gt 0 ] && [ "$rows" -lt 893 ] || fail "$rows rows"
    prints "$file: $rows row"
    case $file in
    *.csv) equal "the lines" "$(wc -l <$file)" $((rows + 1)) ;;
    *.json) equal "the lines" "$(wc -l <$file)" $((rows + 1)) ;;
    esac
done
rm -f big.csv
(ulimit -f 4 && LLVM_PROFILE_FILE=/dev/null "$foliot" run ball --events big.csv >.out 2>.err)
status=$? out=$(cat .out) err=$(cat .err)
expect 1
rows=${err#*failed after }
prints "big.csv: ${rows%% *} moment"

for arguments in "sweep ball --vary e=0.5:0.9:200 --measure max(y) --stop 1" \
    "run mm1 --replications 200 --stop 20"; do
    rm -f big.csv
    last="$arguments (1 KiB)"
    # shellcheck disable=SC2086 # words
    (ulimit -f 2 && LLVM_PROFILE_FILE=/dev/null "$foliot" $arguments --output big.csv >.out 2>.err)
    status=$? out=$(cat .out) err=$(cat .err)
    expect 1
    says "writing big.csv failed after "
    ! contains "$out" "written to" || fail "it says that the file was written"
done

# Two runs with one file.
if command -v flock >/dev/null; then
    for name in good.json:made.txt data.json:made.dat; do
        file=${name#*:}
        before=$(cksum "$file")
        # shellcheck disable=SC2016 # for the inner shell
        flock "$file" "$foliot" run "${name%:*}" --quiet >.out 2>.err
        status=$?
        err=$(cat .err)
        expect 1
        says "another run is writing it"
        equal "the file" "$(cksum "$file")" "$before"
    done
fi

# Lines that a text reads: of files in its own folder, and through no link.
mkdir texts
printf 'one\ntwo\n' >texts/here.txt
printf 'secret\n' >beside.txt
ln -s ../beside.txt texts/link.txt
ln -s .. texts/up
for name in here.txt link.txt up/beside.txt; do
    cat >texts/m.mo <<END
model M
  function countLines input String fileName; output Integer n;
    external "C" n = ModelicaInternal_countLines(fileName);
  end countLines;
  parameter Integer n = countLines("$name");
  Real x = n;
end M;
END
    run check texts/m.mo
    if [ $name = here.txt ]; then
        expect 0
    else
        expect 1
        says "there is no file"
    fi
done
finish
