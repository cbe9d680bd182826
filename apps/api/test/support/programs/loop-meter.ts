// Imported before the API: measures for how long a turn of its event loop occupies the processor. SIGUSR2 makes it print the
// longest turn since the last time. The time of the thread is counted, not that of the clock, which also has what other
// processes take of the machine.
const tickMs = 2
let last = process.threadCpuUsage()
let longestMs = 0

function endTurn(): void {
  const now = process.threadCpuUsage()
  longestMs = Math.max(longestMs, (now.user + now.system - last.user - last.system) / 1_000)
  last = now
}

setInterval(endTurn, tickMs).unref()
process.on('SIGUSR2', () => {
  endTurn()
  process.stdout.write(`${JSON.stringify({ longest_turn_ms: longestMs })}\n`)
  longestMs = 0
})
