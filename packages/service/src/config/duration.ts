import { z } from 'zod'

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export const durationUnits = Object.keys(unitsMs)

/** Parses a duration with its unit, such as `7d`, into milliseconds; 0 needs no unit. */
export const durationText = z.string().transform((text, context) => {
  const [, digits, unit = ''] = /^(\d+)([a-z]*)$/.exec(text) ?? []
  if (digits !== undefined && isUnit(unit)) return Number(digits) * unitsMs[unit]
  if (Number(digits) === 0 && unit === '') return 0
  context.addIssue({ code: 'custom', message: faultOf(digits, unit) })
  return z.NEVER
})

/** A duration in its largest whole unit: `7d`. */
export function formatDuration(ms: number): string {
  const unit = durationUnits.filter(isUnit).findLast((candidate) => ms % unitsMs[candidate] === 0)
  return ms === 0 || unit === undefined ? String(ms) : `${ms / unitsMs[unit]}${unit}`
}

function isUnit(unit: string): unit is keyof typeof unitsMs {
  return Object.hasOwn(unitsMs, unit)
}

function faultOf(digits: string | undefined, unit: string): string {
  if (digits === undefined) return 'is not a whole number with a unit'
  return unit === '' ? 'has no unit' : 'has an unknown unit'
}
