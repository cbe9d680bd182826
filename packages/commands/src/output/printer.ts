import { styleText } from 'node:util'
import type { Failure } from '../failure.ts'
import { failureText } from './failure-text.ts'
import { type Output, writeTo } from './output.ts'
import { safeJson } from './safe-text.ts'
import { type Cell, type Column, renderTable, toText } from './table.ts'

/**
 * The output of a command. Results go to standard output, everything else to standard error. What prints a result
 * resolves once it was written, and rejects with a failure where it could not be written.
 */
export interface Printer {
  /** Whether `--json` was given. */
  readonly isJson: boolean
  /** Prints one JSON document on a line. */
  json(value: unknown): Promise<void>
  /** Prints a text as a line. */
  line(text: string): Promise<void>
  /** Prints text unchanged. */
  raw(text: string): Promise<void>
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): Promise<void>
  /** Prints one object: a line for each member. */
  detail(members: Readonly<Record<string, Cell>>): Promise<void>
  /** Prints a remark to standard error; never a result. */
  note(text: string): void
  /** Prints a failure that does not end the command to standard error: what happened to one of its arguments. */
  failure(failure: Failure, argument: string): void
  /** Shows progress: replaces the previous line on a terminal, otherwise prints a line now and then. */
  progress(text: string): void
  /** Clears the progress line, so that other output can follow. */
  endProgress(): void
}

/** The colour of each cell that has one, by its text. */
export type Colors = Readonly<Record<string, Parameters<typeof styleText>[0]>>

export interface PrinterOptions {
  /** The name of the program. */
  readonly program: string
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isJson: boolean
  readonly colors?: Colors
}

/** Minimum time between two progress lines without a terminal. */
const progressMsMin = 5_000

export function createPrinter(options: PrinterOptions): Printer {
  const { program, stdout, stderr, env, isJson, colors = {} } = options
  const isColored = stdout.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  const paint = (text: string): string => {
    const color = colors[text.trim()]
    return isColored && color !== undefined ? styleText(color, text, { validateStream: false }) : text
  }
  const write = (text: string): Promise<void> => writeTo(stdout, text)
  const progress = createProgress(stderr)
  return {
    isJson,
    json: (value) => write(`${safeJson(value)}\n`),
    line: (text) => write(`${text}\n`),
    raw: write,
    table: (rows, columns) =>
      write(
        `${renderTable(rows, columns, { width: stdout.isTTY === true ? stdout.columns : undefined, paint })}\n`,
      ),
    detail: (members) => {
      const width = Math.max(...Object.keys(members).map((name) => name.length))
      const lines = Object.entries(members).map(
        ([name, value]) => `${name.padEnd(width)}  ${paint(toText(value))}\n`,
      )
      return write(lines.join(''))
    },
    note: (text) => {
      progress.end()
      stderr.write(`${text}\n`)
    },
    failure: (failure, argument) => {
      progress.end()
      stderr.write(failureText(failure, { program, isJson, argument }))
    },
    progress: progress.show,
    endProgress: progress.end,
  }
}

function createProgress(stderr: Output): { show(text: string): void; end(): void } {
  let shownAtMs = performance.now()
  let isOpen = false
  return {
    show: (text) => {
      if (stderr.isTTY === true) {
        stderr.write(`\r\u001b[K${text}`)
        isOpen = true
      } else if (performance.now() - shownAtMs >= progressMsMin) {
        stderr.write(`${text}\n`)
        shownAtMs = performance.now()
      }
    },
    end: () => {
      if (isOpen) stderr.write('\r\u001b[K')
      isOpen = false
    },
  }
}
