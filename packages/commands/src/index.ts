/** The grammar of a program with commands: it declares them as data, and gets its parser, help, errors, output and completion. */
export {
  type Command,
  type CommandDescription,
  commandsWith,
  type Context,
  type DefineCommand,
} from './command.ts'
export { type ExitCode, exitCodes } from './exit-codes.ts'
export { Failure, type FailureOptions, type Issue, usageFailure } from './failure.ts'
export { optionSummary, optionText, usageOf } from './help.ts'
export {
  choice,
  duration,
  file,
  type Flag,
  flag,
  type Option,
  type OptionTable,
  someOf,
  text,
  texts,
  timestamp,
  type Valued,
  type ValuesOf,
  whole,
} from './options.ts'
export { failureText } from './output/failure-text.ts'
export { isReaderGone, type Output, standardOutput, writeTo } from './output/output.ts'
export { createPrinter, type Printer } from './output/printer.ts'
export { safeJson, safeText } from './output/safe-text.ts'
export { type Cell, type Column, renderTable } from './output/table.ts'
export { type Answer, type Invocation, readCommandLine } from './parse.ts'
export { createProgram, type Program } from './program.ts'
