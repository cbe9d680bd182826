import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { readsOf } from './prom-ql.ts'

export interface RecordingRule {
  readonly record: string
  readonly expr: string
}

export interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export interface RuleTest {
  readonly name: string
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[]
}

const infra = new URL('../../', import.meta.url)
/** It names the rules, so a check of this file checks them as well. */
export const configFile = new URL('prometheus/prometheus.yml', infra)
export const rulesFile = new URL('prometheus/rules/queue.rules.yml', infra)
export const testsFile = new URL('prometheus/tests/queue.test.yml', infra)

type Rule = RecordingRule | AlertRule

export function readRules(): { readonly recordings: RecordingRule[]; readonly alerts: AlertRule[] } {
  const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: readonly { rules: Rule[] }[] }
  const rules = groups.flatMap((group) => group.rules)
  return {
    recordings: rules.filter((rule) => 'record' in rule),
    alerts: rules.filter((rule) => 'alert' in rule),
  }
}

export function readRuleTests(): readonly RuleTest[] {
  return (parse(readFileSync(testsFile, 'utf8')) as { tests: readonly RuleTest[] }).tests
}

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly type: string; readonly definition?: string }[] }
}

const dashboardFile = new URL('grafana/dashboards/queue.json', infra)

/** Every expression of the dashboard, with the panel or variable that uses it. */
export function readDashboard(): readonly { readonly usedBy: string; readonly expr: string }[] {
  const { panels, templating } = JSON.parse(readFileSync(dashboardFile, 'utf8')) as Dashboard
  const panelExpressions = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ usedBy: title, expr })),
  )
  const variables = templating.list.flatMap(({ type, definition = '' }) => {
    const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(definition) ?? []
    return type === 'query' ? [{ usedBy: definition, expr: `max by (${label}) (${metric})` }] : []
  })
  return [...panelExpressions, ...variables]
}

/** The labels that Prometheus adds to every sample. */
const targetLabels = ['job', 'instance']

/**
 * The names in an expression that do not exist: metrics that no process exports, and labels that their metrics do not have.
 * `known` has the labels of each metric.
 */
export function unknownNames(expr: string, known: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const { selectors, grouping } = readsOf(expr)
  const metrics = selectors.filter(({ metric }) => !known.has(metric)).map(({ metric }) => metric)
  const knownLabels = selectors.flatMap(({ metric }) => [...(known.get(metric) ?? [])])
  const unknownMatchers = selectors.flatMap(({ metric, labels }) =>
    labels
      .filter((label) => ![...targetLabels, ...(known.get(metric) ?? [])].includes(label))
      .map((label) => `${metric}{${label}}`),
  )
  const unknownGrouping = grouping.filter((label) => ![...targetLabels, ...knownLabels].includes(label))
  return [...metrics, ...unknownMatchers, ...unknownGrouping.map((label) => `by (${label})`)]
}

/** The names that the recording rules add, each with the labels that its expression keeps. */
export function recordedLabels(recordings: readonly RecordingRule[]): Map<string, Set<string>> {
  return new Map(recordings.map(({ record, expr }) => [record, new Set(readsOf(expr).grouping)]))
}
