import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { faults, notCaused } from '../gameday/faults.ts'
import { scaleRules } from '../gameday/scale-rules.ts'
import { readRules, rulesFile } from './monitoring/rule-files.ts'

test('each alert is tested by a fault of the game day, or has a reason why it cannot be', () => {
  const caused = new Set(faults.flatMap(({ alerts }) => alerts))
  const excused = Object.keys(notCaused)
  expect([...caused, ...excused].sort()).toEqual(
    readRules()
      .alerts.map(({ alert }) => alert)
      .sort(),
  )
})

test('the rules of a game day are the deployed ones with all times divided by sixty', () => {
  const scaled = parse(scaleRules(readFileSync(rulesFile, 'utf8'))) as ReturnType<typeof parseRules>
  const ruleOf = (alert: string) =>
    scaled.groups.flatMap(({ rules }) => rules).find((rule) => rule.alert === alert)
  expect(ruleOf('QueueOldSnapshot')).toMatchObject({
    expr: 'max(db_oldest_snapshot_seconds) > 30',
    for: '5s',
  })
  expect(ruleOf('QueuePausedForLong')?.for).toBe('20s')
  expect(ruleOf('QueueDeadLettersKept')?.expr).toBe(
    'max by (kind) (queue_dead_letters_oldest_seconds) > 1440',
  )
  expect(ruleOf('QueueEventLoopBlocked')?.expr).toBe('nodejs_eventloop_lag_p99_seconds > 1')
  expect(ruleOf('QueueWorkersLost')?.expr).toBe('sum(increase(worker_lost_workers_total[15s])) > 0')
  expect(ruleOf('OutboxBacklogOld')?.expr).toBe('max by (job) (outbox_oldest_seconds) > 5')
})

function parseRules(text: string) {
  return parse(text) as {
    groups: { rules: { alert?: string; expr: string; for?: string }[] }[]
  }
}
