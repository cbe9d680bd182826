import { parse, stringify } from 'yaml'

/** A game day lasts minutes: every duration of the rules is divided by this. */
const timeScale = 60
/** An alert that waits for an hour or a day waits for so long, in seconds. */
const forSecondsMax = 20
/** A range that is meant to outlast an absence is not cut to nothing, in seconds. */
const rangeSecondsMax = 60
/** What is tried again every few seconds does not happen in each shorter range, in seconds. */
const rangeSecondsMin = 15
/** Below this a threshold is how long one request or one turn may take, and not an age. In seconds. */
const ageSecondsMin = 60

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

interface Rule {
  readonly expr: string
  readonly for?: string
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}

/** The same rules, faster: `for`, ranges, and thresholds that are ages. The conditions are as they are deployed. */
export function scaleRules(text: string): string {
  const { groups } = parse(text) as Rules
  return stringify({
    groups: groups.map((group) => ({ ...group, rules: group.rules.map(scaleRule) })),
  })
}

function scaleRule(rule: Rule): Rule {
  return {
    ...rule,
    expr: scaleAges(scaleRanges(rule.expr)),
    ...(rule.for === undefined ? {} : { for: `${Math.min(scaled(rule.for), forSecondsMax)}s` }),
  }
}

function scaleRanges(expr: string): string {
  return expr.replaceAll(/\[(\d+[smhd])\]/g, (_range, duration: string) => {
    return `[${Math.max(rangeSecondsMin, Math.min(scaled(duration), rangeSecondsMax))}s]`
  })
}

/** An age is a metric of so many seconds, compared with a number. */
function scaleAges(expr: string): string {
  return expr.replaceAll(/(_seconds\)? > )(\d+)/g, (comparison, before: string, seconds: string) =>
    Number(seconds) < ageSecondsMin ? comparison : `${before}${Number(seconds) / timeScale}`,
  )
}

function scaled(duration: string): number {
  const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(duration) ?? []
  return Math.max(1, Math.round((Number(count) * (unitSeconds[unit] ?? Number.NaN)) / timeScale))
}
