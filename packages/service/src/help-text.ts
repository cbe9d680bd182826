import type { z } from 'zod'
import { type VariableDescription, variablesOf } from './config/variable.ts'

/** The description of a program for its help text. */
export interface ProgramDescription {
  /** The name of the program in its log lines and in its help text. */
  readonly name: string
  readonly version: string
  /** One sentence. */
  readonly description: string
  readonly config: z.ZodObject
}

/** The output of `--help`: every environment variable with its default, and the exit codes. */
export function helpText(program: ProgramDescription): string {
  return [
    `${program.name} ${program.version}`,
    program.description,
    '',
    'Usage:',
    '  --help         print this and exit',
    '  --version      print the version and exit',
    '',
    environmentHelp(program.config),
    '',
  ].join('\n')
}

/** The part of a help text about the environment variables and the exit codes. */
export function environmentHelp(config: z.ZodObject): string {
  return [
    'Environment:',
    ...variablesOf(config).map(describeVariable),
    '',
    'Exit codes: 0 done, 1 failed, 2 invalid configuration, 3 the database schema does not match this code.',
  ].join('\n')
}

function describeVariable(variable: VariableDescription): string {
  const lines = [
    `  ${variable.name}${state(variable)}`,
    `      ${variable.description}`,
    `      Accepted: ${variable.accepted}.`,
  ]
  if (variable.secrecy === 'secret') lines.push(`      ${variable.name}_FILE may name a file with the value.`)
  return lines.join('\n')
}

function state(variable: VariableDescription): string {
  if (variable.presence === 'required') return ' (required)'
  return variable.default === undefined ? ' (default: unset)' : ` (default: ${variable.default})`
}
