import type { z } from 'zod'
import { listItems } from './text-kinds.ts'
import type { Variable } from './variable.ts'

const shownCharsMax = 100

interface Fault {
  readonly variable: Variable
  /** The text of the variable; undefined if it is not set. */
  readonly text: string | undefined
  readonly issue: z.core.$ZodIssue
  /** All variables, because the issue may mention another one by the name of its setting. */
  readonly variables: readonly Variable[]
}

/** One line about a variable: its name, its value unless it is a secret, its fault, and the accepted values. */
export function faultLine(fault: Fault | { readonly variable: Variable; readonly fault: string }): string {
  const { variable } = fault
  const [value, description] =
    'fault' in fault ? ['', fault.fault] : [valueOf(fault), elementOf(fault) + messageOf(fault)]
  return `${variable.name}${value} ${description}; accepted: ${variable.accepted}`
}

function valueOf({ variable, text }: Fault): string {
  if (variable.secrecy === 'secret') return ''
  if (text !== undefined) return ` ${shorten(text)}`
  return variable.default === undefined ? '' : ` (default: ${variable.default})`
}

/** The item of a list that the issue is about. */
function elementOf({ variable, text = '', issue }: Fault): string {
  const index = issue.path[variable.path.length]
  return typeof index === 'number' ? `names ${shorten(listItems(text)[index] ?? '')}, which ` : ''
}

/** The message of the issue, with the names of settings of the same group replaced by the names of their variables. */
function messageOf({ variable, issue, variables }: Fault): string {
  const group = variable.path.slice(0, -1).join('.')
  return issue.message.replaceAll(/\w+/g, (word) => {
    const path = [group, word].join('.')
    return variables.find((other) => other.path.join('.') === path)?.name ?? word
  })
}

function shorten(text: string): string {
  return JSON.stringify(text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text)
}
