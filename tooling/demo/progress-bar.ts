/** A bar on one line in a terminal; elsewhere a line for each quarter. */
export interface ProgressBar {
  /** Returns a function that shows the progress of a phase. */
  show(phase: string): (finished: number, total: number) => void
  end(): void
}

const width = 40

export function createProgressBar(stream: NodeJS.WriteStream): ProgressBar {
  let lastQuarter = ''
  return {
    show: (phase) => (finished, total) => {
      const share = total === 0 ? 1 : finished / total
      const filled = Math.round(share * width)
      const line = `${phase.padEnd(10)} [${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${finished}/${total}`
      if (stream.isTTY) {
        stream.write(`\r${line}`)
        if (finished === total) stream.write('\n')
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
