import { type RawBuilder, sql } from 'kysely'
import { compiler, type Statement } from './session.ts'

/** A parameter whose value is read from the input of each run: `given((input) => input.limit)`. */
export type Given<Input> = (read: (input: Input) => unknown) => RawBuilder<unknown>

/** A statement whose text is built once; each run only fills in its parameters. */
export type Template<Input, Row> = (input: Input) => Statement<Row>

/** Takes the place of a parameter while the text is built. */
class Placeholder<Input> {
  readonly read: (input: Input) => unknown

  constructor(read: (input: Input) => unknown) {
    this.read = read
  }
}

/**
 * Builds the text of a statement once. Building the text of a claim takes Node as long as PostgreSQL needs to run it on an idle
 * queue, so frequent statements are not built for each run.
 */
export function template<Input, Row>(write: (given: Given<Input>) => RawBuilder<Row>): Template<Input, Row> {
  const compiled = write((read) => sql`${new Placeholder(read)}`).compile(compiler)
  const fillIn = (input: Input): unknown[] =>
    compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? parameter.read(input) : parameter,
    )
  return (input) => ({ compile: () => ({ ...compiled, parameters: fillIn(input) }) })
}
