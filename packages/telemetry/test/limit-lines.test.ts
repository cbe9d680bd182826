import { expect, test } from '@jest/globals'
import { limitLines, type LogFields } from '../src/index.ts'

test('lines beyond the maximum per minute are dropped, and the next line contains their number', () => {
  let nowMs = 5_000
  const lines: LogFields[] = []
  const log = limitLines((fields) => lines.push(fields), { linesMax: 2, now: () => nowMs })
  for (let n = 1; n <= 5; n += 1) log({ n })
  expect(lines).toEqual([{ n: 1 }, { n: 2 }])
  nowMs += 59_999
  log({ n: 6 })
  expect(lines).toHaveLength(2)
  nowMs += 1
  log({ n: 7 })
  log({ n: 8 })
  log({ n: 9 })
  expect(lines.slice(2)).toEqual([{ n: 7, suppressed: 4 }, { n: 8 }])
})
