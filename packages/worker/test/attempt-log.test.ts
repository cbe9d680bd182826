import { expect, test } from '@jest/globals'
import { limits } from '@queue/core'
import type { LogWrite } from '@queue/core/internal'
import { AttemptLog } from '../src/attempt-log.ts'
import { createUnwrittenBytes } from '../src/unwritten-bytes.ts'

/** Logs of a process whose writes the test answers. */
function createLogs() {
  const unwritten = createUnwrittenBytes()
  const writes: { readonly write: LogWrite; answer(): void }[] = []
  const dropped: number[] = []
  const create = (): AttemptLog =>
    new AttemptLog({
      lease: { jobId: '', token: 1 },
      attempt: 1,
      shown: (value) => value,
      wallMs: () => 0,
      unwritten,
      write: (write) => new Promise((resolve) => writes.push({ write, answer: () => resolve() })),
      onDropped: (lines) => dropped.push(lines),
    })
  const texts = (): string[] => writes.flatMap(({ write }) => write.lines.map(({ message }) => message))
  return { unwritten, writes, dropped, create, texts }
}

const large = 'x'.repeat(8_000)

test('the lines of all attempts together wait up to one bound, and those beyond it are counted', () => {
  const { unwritten, create } = createLogs()
  const logs = Array.from({ length: 2_000 }, create)
  for (const log of logs) for (let line = 0; line < 3; line += 1) log.add('info', large, undefined)
  expect(unwritten.isFull).toBe(true)
  let bytes = 0
  unwritten.add(-limits.unwrittenBytesMax)
  // Less than one line is beyond the bound.
  for (; !unwritten.isHigh; bytes += 1_000) unwritten.add(1_000)
  expect(limits.unwrittenBytesMax / 2 - bytes).toBeLessThan(large.length + 1_000)
})

test('lines are kept again when others were written, behind a line that says how many were dropped', async () => {
  const { unwritten, writes, dropped, create, texts } = createLogs()
  const log = create()
  log.add('info', 'first', undefined)
  unwritten.add(limits.unwrittenBytesMax)
  for (let line = 0; line < 3; line += 1) log.add('info', 'lost', undefined)
  unwritten.add(-limits.unwrittenBytesMax)
  log.add('info', 'second', undefined)
  unwritten.add(limits.unwrittenBytesMax)
  log.add('info', 'lost', undefined)
  unwritten.add(-limits.unwrittenBytesMax)
  const ended = log.end()
  const said = (lines: number): string =>
    `${lines} further lines were dropped: more than ${limits.unwrittenBytesMax} bytes were waiting in this process to be written`
  expect(texts()).toEqual(['first', said(3), 'second', said(1)])
  expect(dropped).toEqual([3, 1])
  for (const { answer } of writes) answer()
  await ended
  unwritten.add(limits.unwrittenBytesMax / 2 - 1)
  expect(unwritten.isHigh).toBe(false)
})

test('an attempt never has more than 1 000 lines and a last one, however often lines are dropped in between', async () => {
  const { unwritten, create, texts } = createLogs()
  const log = create()
  for (let line = 0; line < limits.logLinesPerAttemptMax; line += 1) {
    unwritten.add(limits.unwrittenBytesMax)
    log.add('info', 'lost', undefined)
    unwritten.add(-limits.unwrittenBytesMax)
    log.add('info', 'kept', undefined)
  }
  void log.end()
  expect(texts().length).toBeLessThanOrEqual(limits.logLinesPerAttemptMax + 1)
  expect(texts().at(-1)).toContain('an attempt keeps 1000 lines')
})
