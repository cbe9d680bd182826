import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { configFile, readRules, readRuleTests, testsFile, unknownNames } from './monitoring/rule-files.ts'
import { runbooks, runbookText } from './monitoring/runbooks.ts'

const { alerts } = readRules()

describe('an alert', () => {
  test.each(alerts.map((rule) => [rule.alert, rule] as const))('%s has all required parts', (_name, rule) => {
    expect(['critical', 'warning', 'info']).toContain(rule.labels?.['severity'])
    expect(rule.for).toMatch(/^\d+[mh]$/)
    for (const annotation of ['summary', 'description']) expect(rule.annotations?.[annotation]).toMatch(/\w/)
    const [base, name = ''] = rule.annotations?.['runbook_url']?.split(/\/(?=[a-z-]+\.md$)/) ?? []
    expect(base).toBe('{{ with $externalLabels.runbooks }}{{ . }}{{ else }}docs/runbooks{{ end }}')
    expect(runbooks).toContain(name)
    expect(runbookText(name).split('\n')[0]).toBe(`# ${rule.alert}`)
    expect(runbookText('README.md')).toContain(`[${rule.alert}](${name}) | ${rule.labels?.['severity']} |`)
  })

  test.each(
    alerts.flatMap(({ alert, expr, annotations }) => {
      const link = annotations?.['dashboard_url']
      return link === undefined ? [] : [[alert, { link, expr }] as const]
    }),
  )('%s leads to the dashboard by its name and by labels that it has', (alert, { link, expr }) => {
    const base = '{{ with $externalLabels.dashboard }}{{ . }}{{ else }}/dashboard{{ end }}/go/'
    expect(link.slice(0, base.length)).toBe(base)
    const [name, query = ''] = link.slice(base.length).split('?')
    expect(name).toBe(alert)
    const parts = query === '' ? [] : query.split('&')
    for (const part of parts) {
      const [label = ''] = part.split('=')
      expect(['queue', 'kind']).toContain(label)
      expect(part).toBe(`${label}={{ $labels.${label} }}`)
      expect(expr).toMatch(new RegExp(`\\b(by|on) \\([^)]*\\b${label}\\b`))
    }
  })

  test.each(alerts.map(({ alert }) => alert))(
    '%s has a case in which it fires and one in which it does not',
    (alert) => {
      const cases = readRuleTests()
        .flatMap((ruleTest) => ruleTest.alert_rule_test)
        .filter(({ alertname }) => alertname === alert)
        .map(({ exp_alerts }) => (exp_alerts.length > 0 ? 'fires' : 'stays silent'))
      expect(cases.sort()).toEqual(['fires', 'stays silent'])
    },
  )

  const promtool = spawnSync('promtool', ['--version']).error === undefined
  const tested = promtool ? test : test.skip
  tested(
    `pass their cases (needs promtool${promtool ? '' : ', which is not installed: apt install prometheus'})`,
    () => {
      for (const args of [
        ['check', 'config', fileURLToPath(configFile)],
        ['test', 'rules', fileURLToPath(testsFile)],
      ]) {
        expect(() => execFileSync('promtool', args, { stdio: 'pipe' })).not.toThrow()
      }
    },
  )
})

describe('the runbooks', () => {
  test('are exactly one for each alert', () => {
    expect(runbooks).toHaveLength(alerts.length)
  })

  test.each(runbooks)('%s has the meaning, the checks, the remedy, and the end of the alert', (page) => {
    const headings = runbookText(page)
      .split('\n')
      .filter((line) => line.startsWith('## '))
    expect(headings).toEqual(['## What it means', '## What to check', '## What to do', '## When it is over'])
  })
})

test('a name or a label that no process exports is detected in any expression', () => {
  const known = new Map([
    ['a_bucket', new Set(['le', 'route'])],
    ['b', new Set<string>()],
  ])
  const faults = (expr: string): string[] => unknownNames(expr, known)
  expect(
    faults('histogram_quantile(0.9, sum by (le, route) (rate(a_bucket{route!="/c/{id}"}[5m]))) > 1'),
  ).toEqual([])
  expect(faults('b > 5 and on (instance) b{job="x"} unless absent(b) or vector(0)')).toEqual([])
  expect(faults('rate(c_total[5m]) / b')).toEqual(['c_total'])
  expect(faults('b{kind="x"}')).toEqual(['b{kind}'])
  expect(faults('max by (kind) (b)')).toEqual(['by (kind)'])
})
