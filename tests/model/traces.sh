#!/bin/sh
# Traces of processes and entities through --events: the statistics that a model prints, computed
# anew from the file.
#
#   traces.sh FOLIOT
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"

# A queue of entities: what its nodes show at the end.
run run queue --quiet --signals "mean wait,utilisation" --output signals.csv --events queue.csv
expect 0
equal "the header" "$(head -n 1 queue.csv)" "time,name,kind,k,entity,number,node,action,amount"
awk -F, '$3 == "entity" && $7 == "queue" && $8 == "enter" {came[$6] = $1}
    $3 == "entity" && $7 == "queue" && $8 == "leave" {n++; sum += $1 - came[$6]; said += $9}
    END {printf "%.10g %.10g\n", sum / n, said / n}' queue.csv >waits
shown=$(tail -n 1 signals.csv | awk -F, '{printf "%.10g", $2}')
equal "the mean wait" "$(cat waits)" "$shown $shown"
awk -F, '$3 == "entity" && $7 == "server" {area += busy * ($1 - last); last = $1
        busy += ($8 == "enter") - ($8 == "leave")}
    END {printf "%.10g\n", (area + busy * (2000 - last)) / 2000}' queue.csv >use
equal "the utilisation" "$(cat use)" "$(tail -n 1 signals.csv | awk -F, '{printf "%.10g", $3}')"
# Every moment is there as before.
grep -v ',entity,' queue.csv | cut -d , -f 1-4 >moments.csv
equal "the moments" "$(wc -l <moments.csv)" "$(grep -c '' moments.csv)"
equal "their kind" "$(tail -n +2 moments.csv | cut -d , -f 3 | sort -u)" scheduled

# A bank: whoever seizes the clerk releases it or keeps it to the end, and nobody does two things.
run run bank --quiet --seed 3 --events bank.csv
expect 0
equal "the header" "$(head -n 1 bank.csv)" \
    "time,name,kind,k,process,number,resource,action,amount,by,by_number"
awk -F, 'NR > 1 && $3 == "process" {
        if ($1 < last) bad++
        last = $1
        if ($8 == "seize") {if (has[$6]++) bad++; seized++}
        if ($8 == "release") {if (--has[$6]) bad++; released++}
        if ($8 == "renege" && has[$6]) bad++
        if ($8 == "end" && has[$6]) bad++}
    END {print bad + 0, (seized - released >= 0 && seized - released <= 1), (seized > 50)}' bank.csv >sound
equal "who has the clerk" "$(cat sound)" "0 1 1"

# The same as JSON, to standard output, and the run itself is untouched.
run run bank --quiet --seed 3 --events bank.jsonl
expect 0
equal "as many lines" "$(wc -l <bank.jsonl)" "$(tail -n +2 bank.csv | wc -l)"
equal "of the same actions" "$(sed 's/.*"action":"\([^"]*\)".*/\1/' bank.jsonl | cksum)" \
    "$(tail -n +2 bank.csv | cut -d , -f 8 | cksum)"
equal "one object per line" "$(grep -cv '^{"time":[^{}]*}$' bank.jsonl)" 0
run run bank --quiet --seed 3 --events -
expect 0
equal "standard output" "$(echo "$out" | cksum)" "$(cksum <bank.csv)"
run run bank --quiet --seed 3 --output plain.csv
expect 0
run run bank --quiet --seed 3 --output traced.csv --events bank.csv
expect 0
cmp -s plain.csv traced.csv || fail "a trace changes the rows"

# A disk that is full ends the run, and says so.
if [ -w /dev/full ]; then
    run run mm1 --stop 100000 --quiet --events /dev/full
    expect 1
    says "writing /dev/full failed"
    run run queue --quiet --events /dev/full
    expect 1
    says "writing /dev/full failed"
fi
# What has neither has the columns of old.
run run ball --quiet --events ball.csv
expect 0
equal "the header" "$(head -n 1 ball.csv)" "time,name,kind,k"
finish
