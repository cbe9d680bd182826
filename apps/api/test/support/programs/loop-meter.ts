// Imported before the API: measures for how long a turn of its event loop occupies the processor. SIGUSR2 makes it print the
// longest turn since the last time. The time of the thread is counted, not that of the clock, which also has what other
// processes take of the machine. A processor that is shared also needs more time for the same work: a long turn is printed
// as what it would take where the yardstick takes its usual time.
const tickMs = 2
const longMs = 50
/** What parsing `yardstick` takes on an idle machine, in milliseconds. */
const yardstickUsualMs = 25
const yardstick = `[${Array.from({ length: 15_000 }, (_, n) => `{"a${n}":{"b${n}":0}}`).join(',')}]`

let last = process.threadCpuUsage()
let longestMs = 0

function endTurn(): void {
  longestMs = Math.max(longestMs, msSinceLast())
}

function msSinceLast(): number {
  const now = process.threadCpuUsage()
  const ms = (now.user + now.system - last.user - last.system) / 1_000
  last = now
  return ms
}

/** How many times longer than usual this processor needs now; at least 1. */
function slowness(): number {
  msSinceLast()
  JSON.parse(yardstick)
  return Math.max(1, msSinceLast() / yardstickUsualMs)
}

setInterval(endTurn, tickMs).unref()
process.on('SIGUSR2', () => {
  endTurn()
  const turnMs = longestMs < longMs ? longestMs : longestMs / slowness()
  process.stdout.write(`${JSON.stringify({ longest_turn_ms: turnMs })}\n`)
  longestMs = 0
})
