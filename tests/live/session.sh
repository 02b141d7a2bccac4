#!/bin/sh
# foliot live: the command line, lines on standard input, recordings, the screen.
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"

# mistake MESSAGE ARGUMENT...
mistake()
{
    message=$1
    shift
    run "$@"
    expect 2
    says "$message"
    silent
}
mistake "foliot live: needs a MODEL" live
mistake "the gallery has no model 'pendulm'; did you mean 'pendulum'?" live pendulm
mistake "unknown policy 'wran'; did you mean 'warn'?" live pendulum --policy wran
mistake "unknown solver 'rk5'" live pendulum --solver rk5
mistake "--rate needs a positive number, not '0'" live pendulum --rate 0
mistake "a rate of 1e+07 advances a second is beyond 1e6" live pendulum --rate 1e7
mistake "pendulum has no quantity 'mm'" live pendulum --set mm=1
mistake "--output goes with --replay" live pendulum --output x.csv
mistake "--replay does what was recorded" live pendulum --replay x --rate 3
run live pendulum --record /nowhere/at/all --stop 0.1
expect 1
says "cannot write the file '/nowhere/at/all'"
run live pendulum --socket /nowhere/at/all --stop 0.1
expect 1
says "cannot listen at /nowhere/at/all"
run live --replay /nowhere/at/all
expect 1
says "cannot read /nowhere/at/all"

# Lines: answers and mistakes; the run ends at its time. Where the machine is so busy that they come
# too late: once more, with more time.
last="live pendulum, with lines"
for at in 0.4 2.4; do
    (
        sleep 0.2
        printf 'tap 0.2\n%s tap -0.1\nset m 0.5\ntapp 3\nset m x\nstats\nlook\n\n' "$at"
    ) |
        "$foliot" live pendulum --stop "${at%4}5" --record taps >.out 2>.err
    equal "the status" $? 0
    ! grep -q "3 happened, 2 refused" .out || break
done
out=$(cat .out)
err=$(cat .err)
prints '{"advances": '
prints " y "
prints "3 happened, 2 refused"
prints "taps: 3 events"
says "'tapp' is no command and no event of 'pendulum'; did you mean 'tap'?"
says "'set' takes a name and a number"
equal "the recording's events" "$(grep -c '^[0-9.e-]* \(event\|set\)+\{0,1\} ' taps)" 3

# A text hears its events and what is set, warns, and is replayed with the same bits.
cat >tapped.mo <<'MO'
model Tapped
  parameter Real k = 1;
  input Real p;
  input Boolean tap annotation(__Foliot_event(value = p));
  Real v(start = 0, fixed = true);
  Integer n(start = 0, fixed = true), changes(start = 0, fixed = true);
equation
  der(v) = 0;
  when tap then
    reinit(v, v + k*p);
    n = pre(n) + 1;
  end when;
  when change(k) then
    changes = pre(changes) + 1;
  end when;
  assert(v < 3, "v is " + String(v), AssertionLevel.warning);
end Tapped;
MO
last="live tapped.mo, with lines"
printf '0.1 tap 2\n0.2 set k 3\n0.3 tap 2\n' |
    "$foliot" live tapped.mo --stop 0.4 --record text >.out 2>.err
equal "the status" $? 0
out=$(cat .out)
err=$(cat .err)
prints "3 happened, 0 refused"
says "warning at t = 0.3: v is 8 (line 16)"
run live tapped.mo --replay text --output text.csv
expect 0
prints "Tapped: 3 events replayed until t = 0.4 s, state $(sed -n 's/.* end //p' text)"
equal "the last row" "$(tail -n 1 text.csv | cut -d, -f2-4)" "8,2,1"

# Lines are held to types and to what is fixed, too.
cat >whole.mo <<'MO'
model Whole
  parameter Integer n = 2;
  final parameter Real f = 3;
  Real x(start = 1, fixed = true);
equation
  der(x) = -n*f*x;
end Whole;
MO
last="live whole.mo, with lines"
printf '0.1 set n 2.5\n0.1 set f 4\n0.1 set n 3\n' |
    "$foliot" live whole.mo --stop 0.2 >.out 2>.err
equal "the status" $? 0
out=$(cat .out)
err=$(cat .err)
prints "1 happened, 2 refused"
says "'n' must be a whole number, not 2.5"
says "'f' is fixed"

# Where the model came from is recorded; a recording that does not say it wants a MODEL.
mkdir "my models"
cp tapped.mo "my models/pendulum.mo"
printf '0.1 tap 2\n' | "$foliot" live "my models/pendulum.mo" --stop 0.2 --record from >.out 2>.err
run live --replay from
expect 0
prints "Tapped: 1 events replayed until t = 0.2 s"
equal "from where" "$(grep '^opened' from)" "opened my%20models/pendulum.mo"
run live --replay text
expect 0
prints "Tapped: 3 events replayed"
grep -v '^opened' from >nowhere
mistake "the recording is of 'Tapped' and does not say from where: name the MODEL" \
    live --replay nowhere
run live "my models/pendulum.mo" --replay nowhere
expect 0

# The same bits in batch, as often as one likes; CSV on the way changes nothing.
run live --replay taps
expect 0
prints "pendulum: 3 events replayed until t = ${at%4}5 s, state $(sed -n 's/.* end //p' taps)"
run live pendulum --replay taps --output taps.csv
expect 0
equal "the CSV's header" "$(head -n 1 taps.csv)" "time,y,v,given,a"
sed 's/event tap -0.1/event tap -0.2/' taps >touched
run live --replay touched
expect 1
says "with other bits"

# quit, and the model's own end; settings before the start are recorded.
last="live ball, quit"
printf '0.05 nothing\nquit\n' | "$foliot" live ball --start y=0.7 --record ball >.out 2>.err
equal "the status" $? 0
run live --replay ball
expect 0
equal "start values" "$(grep '^number' ball)" "number y 0.7"
run live ball --set stop_speed=3 --start y=0.3 --speed 4
expect 0
prints "stopped by the model at t = "
run live pendulum --set l=-1 --stop 1
expect 2
says "'l' must be positive, not -1"
run live dip --set width=3 --stop 1
expect 1
says "width must lie in (0, 2), is 3"

# Figures as JSON and nothing else; quiet.
run live pendulum --stop 0.1 --json --interval 9 --quiet
expect 0
equal "JSON" "$(echo "$out" | cut -c1-13)" '{"advances": '
equal "lines of JSON" "$(echo "$out" | wc -l)" 1
run live pendulum --stop 0.1 --quiet
silent

# What it takes.
run live pendulum --budget --rate 1000 --solver rk4
expect 0
prints "has fixed work in a step"
prints "frames a second in 99.9 %"
run live ball --budget --json
prints '"fixed_work": false'

# Too late: a frame of 1 us cannot be kept.
run live pendulum --stop 0.2 --rate 1e6 --max-time-step 1e-7 --policy stop
expect 1
says "an advance of "
run live pendulum --stop 0.05 --rate 100 --policy priority --quiet
expect 0
says "foliot live: priority: "

# Ctrl-C.
timeout --preserve-status -s INT 1 "$foliot" live pendulum --record cut >.out 2>.err </dev/null
equal "the status after Ctrl-C" $? 130
contains "$(cat .err)" "foliot live: interrupted at t = " || fail "Ctrl-C: $(cat .err)"
run live --replay cut
expect 0

# The screen, in a window of 50 columns, with and without colours, and in one that is too small.
if script -qec true /dev/null >/dev/null 2>&1; then
    escape=$(printf '\033')
    # on_terminal "COLUMNS ROWS" COMMAND KEYS [KEYS]: keys 0.3 s apart
    on_terminal()
    {
        last="(on a terminal) $2"
        out=$( (
            for key in "$3" "${4:-}"; do
                sleep 0.3
                printf '%s' "$key"
            done
        ) |
            script -qec "stty cols ${1% *} rows ${1#* }; $2" /dev/null | tr -d '\r')
    }
    on_terminal "50 20" "'$foliot' live pendulum --stop 0.8" "1"
    prints "${escape}[?1049h"
    prints "${escape}[?25h"
    prints "┤"
    prints "tap 0.3"
    prints "1 happened"
    prints "g [m/s^2] = 9.8"
    equal "lines wider than the window" "$(echo "$out" | sed "s/${escape}\[[0-9?;]*[a-zA-Z]//g" |
        grep '[│┤=]' | grep -v '^ *\(load\|compu\|late\)' | LC_ALL=C tr -d '\200-\277' |
        LC_ALL=C awk 'length($0) > 50' | wc -l)" 0
    # Sliders: the third parameter of the pendulum is its mass; up, and a stronger tap.
    on_terminal "80 24" "'$foliot' live pendulum --stop 0.8" "$(printf '\033[C\033[C\033[A')1)1"
    prints "m [kg] = 0.42"
    prints "tap 0.375"
    prints "3 happened"
    # Whole numbers go by one.
    on_terminal "80 24" "'$foliot' live whole.mo --stop 0.8 --record keys" "$(printf '\033[A\033[A')"
    equal "the steps" "$(grep -c ' set+* n [34]$' keys)" 2
    on_terminal "80 24" "NO_COLOR=1 '$foliot' live pendulum --stop 20" " " "q"
    prints "PAUSED"
    contains "$out" "${escape}[3" && fail "colours in spite of NO_COLOR"
    on_terminal "20 5" "'$foliot' live pendulum --stop 0.8" ""
    prints "pendu  t = 0"
    contains "$out" "┤" && fail "curves in a window of 20 columns"
fi
finish
