import { parse, stringify } from 'yaml'

/** A game day takes minutes, so every duration of the rules is divided by this. */
const timeScale = 60
/** The longest `for`, in seconds: that of alerts that wait for an hour or a day. */
const forSecondsMax = 20
/** The longest range, in seconds. Some rules look back for hours. */
const rangeSecondsMax = 60
/** The shortest range, in seconds. An event that recurs every few seconds may not occur in a shorter range. */
const rangeSecondsMin = 15
/** In seconds. A lower threshold is a limit for a single request or event-loop turn, and no age. It is not scaled. */
const ageSecondsMin = 60

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

interface Rule {
  readonly expr: string
  readonly for?: string
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}

/** The rules with shorter `for`, ranges, and age thresholds. Everything else is as deployed. */
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

/** Scales the thresholds of ages: comparisons of a metric in seconds with a number. */
function scaleAges(expr: string): string {
  return expr.replaceAll(/(_seconds\)? > )(\d+)/g, (comparison, metricPart: string, seconds: string) =>
    Number(seconds) < ageSecondsMin ? comparison : `${metricPart}${Number(seconds) / timeScale}`,
  )
}

function scaled(duration: string): number {
  const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(duration) ?? []
  return Math.max(1, Math.round((Number(count) * (unitSeconds[unit] ?? Number.NaN)) / timeScale))
}
