/** A bar on one line where there is a terminal; a line for each quarter where there is none. */
export interface ProgressBar {
  /** A function that shows how much of a phase is done. */
  show(phase: string): (done: number, total: number) => void
  end(): void
}

const width = 40

export function createProgressBar(stream: NodeJS.WriteStream): ProgressBar {
  let lastQuarter = ''
  return {
    show: (phase) => (done, total) => {
      const share = total === 0 ? 1 : done / total
      const filled = Math.round(share * width)
      const line = `${phase.padEnd(10)} [${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${done}/${total}`
      if (stream.isTTY) {
        stream.write(`\r${line}`)
        if (done === total) stream.write('\n')
        return
      }
      const quarter = `${phase} ${Math.floor(share * 4)}`
      if (quarter !== lastQuarter) stream.write(`${line}\n`)
      lastQuarter = quarter
    },
    end: () => {
      lastQuarter = ''
    },
  }
}
