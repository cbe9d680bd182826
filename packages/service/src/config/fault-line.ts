import type { z } from 'zod'
import { listItems } from './text-kinds.ts'
import type { Variable } from './variable.ts'

const shownCharsMax = 100

interface Fault {
  readonly variable: Variable
  /** As it is set; undefined when it is not. */
  readonly text: string | undefined
  readonly issue: z.core.$ZodIssue
  /** Those that the issue may speak of by the names of their settings. */
  readonly variables: readonly Variable[]
}

/** One line about a variable: its name, its value unless that is a secret, what is wrong, and what is accepted. */
export function faultLine(fault: Fault | { readonly variable: Variable; readonly fault: string }): string {
  const { variable } = fault
  const [value, wrong] =
    'fault' in fault ? ['', fault.fault] : [valueOf(fault), elementOf(fault) + inVariables(fault)]
  return `${variable.name}${value} ${wrong}; accepted: ${variable.accepted}`
}

function valueOf({ variable, text }: Fault): string {
  if (variable.secrecy === 'secret') return ''
  if (text !== undefined) return ` ${shorten(text)}`
  return variable.default === undefined ? '' : ` (default: ${variable.default})`
}

/** Which item of a list the issue is about. */
function elementOf({ variable, text = '', issue }: Fault): string {
  const index = issue.path[variable.path.length]
  return typeof index === 'number' ? `names ${shorten(listItems(text)[index] ?? '')}, which ` : ''
}

/** The message, with a variable's name wherever it has that of a setting of the same group. */
function inVariables({ variable, issue, variables }: Fault): string {
  const group = variable.path.slice(0, -1).join('.')
  return issue.message.replaceAll(/\w+/g, (word) => {
    const path = [group, word].join('.')
    return variables.find((one) => one.path.join('.') === path)?.name ?? word
  })
}

function shorten(text: string): string {
  return JSON.stringify(text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text)
}
