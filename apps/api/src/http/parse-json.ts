import { issuesProblem, toIssues } from './issues.ts'
import { bodyDepthMax, bodyNodesMax, issuesMax } from './limits.ts'
import { Problem } from './problem.ts'
import { type JsonScan, scanJson } from './scan-json.ts'

const bounds = { depthMax: bodyDepthMax, nodesMax: bodyNodesMax, trapsMax: issuesMax }

/**
 * The value of a JSON text. Throws 400 when it is not JSON, nested too deep, or of too many values; 422 when it holds
 * what would be changed or misread further on: numbers that a double cannot hold exactly, and members named `__proto__`.
 */
export function parseJson(text: string): unknown {
  const scan = scanJson(text, bounds)
  if (scan.exceeds !== undefined) throw new Problem('unparsable_body', { detail: tooMuch[scan.exceeds] })
  const value = parse(text)
  if (scan.traps.length > 0) throw issuesProblem('invalid_job', toIssues(scan.traps))
  return value
}

const tooMuch: Readonly<Record<NonNullable<JsonScan['exceeds']>, string>> = {
  depth: `the body is nested deeper than ${bodyDepthMax} levels`,
  nodes: `the body has more than ${bodyNodesMax} values`,
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Problem('unparsable_body', { detail: 'the body is not JSON', cause })
  }
}
