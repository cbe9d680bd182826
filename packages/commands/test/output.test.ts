import { describe, expect, test } from '@jest/globals'
import { Writable } from 'node:stream'
import stringWidth from 'string-width'
import { timestamp } from '../src/options.ts'
import { createPrinter } from '../src/output/printer.ts'
import { type Column, renderTable } from '../src/output/table.ts'

interface Row {
  readonly name: string
  readonly status: string
  readonly error: string
}

const columns: readonly Column<Row>[] = [
  { title: 'name', of: ({ name }) => name, shrinks: true },
  { title: 'status', of: ({ status }) => status },
  { title: 'error', of: ({ error }) => error, shrinks: true },
]

const rows: readonly Row[] = [
  { name: 'a'.repeat(60), status: 'failed_permanent', error: '語'.repeat(60) },
  { name: 'b', status: 'queued', error: 'first\nsecond\u001b[2J\u001b]0;title\u0007\u202e' },
]

const colors = { failed_permanent: 'red' } as const

const plain = (text: string): string => text

describe('a table', () => {
  test.each([40, 60, 80, 120])('of any texts fits a terminal of %d columns', (width) => {
    for (const line of renderTable(rows, columns, { width, paint: plain }).split('\n')) {
      expect(stringWidth(line)).toBeLessThanOrEqual(width)
      expect(line).not.toContain('\u001b')
      expect(line).not.toContain('\u202e')
    }
  })

  test('that is piped loses nothing', () => {
    const text = renderTable(rows, columns, { width: undefined, paint: plain })
    expect(text).toContain('a'.repeat(60))
    expect(text).toContain('語'.repeat(60))
    expect(text.split('\n')).toHaveLength(3)
  })
})

test('JSON shows characters that a terminal obeys, and is the same value', async () => {
  const value = {
    text: 'DEL \u007f, CSI \u009b31m, turned \u202etxt.exe\u2066, mark \u200f\u061c, line \u2028',
  }
  let shown = ''
  const sink = () => new Writable({ write: (chunk, _encoding, done) => ((shown += String(chunk)), done()) })
  await createPrinter({ stdout: sink(), stderr: sink(), program: 'p', env: {}, isJson: true }).json(value)
  expect(shown).toMatch(/^[\u0020-\u007e]*\n$/)
  expect(JSON.parse(shown)).toEqual(value)
})

describe('colour', () => {
  const print = async (terminal: object, env: Record<string, string>): Promise<string> => {
    let shown = ''
    const sink = () => new Writable({ write: (chunk, _encoding, done) => ((shown += String(chunk)), done()) })
    const stdout = Object.assign(sink(), terminal)
    await createPrinter({ stdout, stderr: sink(), program: 'p', env, isJson: false, colors }).table(
      rows,
      columns,
    )
    return shown
  }

  test('is for terminals whose user wants it', async () => {
    const terminal = { isTTY: true, columns: 100 }
    expect(await print(terminal, { TERM: 'xterm' })).toContain('\u001b[31m')
    expect(await print(terminal, { TERM: 'xterm', NO_COLOR: '1' })).not.toContain('\u001b')
    expect(await print(terminal, { TERM: 'dumb' })).not.toContain('\u001b')
    expect(await print({}, {})).not.toContain('\u001b')
  })
})

describe('output that cannot be written', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  const sink = (): Writable => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done(full) })
    return output.on('error', () => undefined)
  }

  test('is a failure of whatever prints it', async () => {
    const print = createPrinter({ stdout: sink(), stderr: sink(), program: 'p', env: {}, isJson: true })
    await expect(print.json({})).rejects.toThrow('the output could not be written: ENOSPC')
  })
})

describe('a time', () => {
  const { read } = timestamp('TIME', '')

  test.each([
    '2027-02-30T09:00:00Z',
    '2027-04-31',
    '2027-13-01',
    '2027-01-15T24:00:00Z',
    '2027-01-15T10:60Z',
    '2027-01-15 10:00',
  ])('%s is refused', (text) => {
    expect(() => read(text)).toThrow('is not a time')
  })

  test.each(['0000-01-01', '1969-12-31T23:59:59.999Z', '1970-01-01T00:00+00:01', '9999-12-31T23:59-00:01'])(
    '%s is refused as by the API',
    (text) => {
      expect(() => read(text)).toThrow('is not in the years 1970 to 9999')
    },
  )

  test.each([
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2027-01-15T23:30+01:30', '2027-01-15T22:00:00.000Z'],
    ['2027-01-15T09:30:00.123456789Z', '2027-01-15T09:30:00.123Z'],
  ])('%s is %s', (text, instant) => {
    expect(read(text)).toBe(instant)
  })
})
