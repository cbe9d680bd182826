import { type LogRecord } from './log-record.ts'

const reserved = new Set(['timestamp', 'level', 'service', 'message'])

/**
 * One JSON object on one line. A field that bears the name of one of the line's own members gets a prefix.
 */
export function formatJson(record: LogRecord): string {
  const { fields, ...line } = record
  const named = Object.entries(fields).map(([key, value]) => [
    reserved.has(key) ? `field_${key}` : key,
    value,
  ])
  // With fromEntries, a field named __proto__ stays data.
  return JSON.stringify(Object.fromEntries([...Object.entries(line), ...named]))
}
