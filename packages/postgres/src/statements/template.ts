import { type RawBuilder, sql } from 'kysely'
import { compiler, type Statement } from './session.ts'

/** A parameter whose value is read from what each run is given: `given((input) => input.limit)`. */
export type Given<Input> = (read: (input: Input) => unknown) => RawBuilder<unknown>

/** A statement whose text is made once; each run only fills in its parameters, when it is handed to its connection. */
export type Template<Input, Row> = (input: Input) => Statement<Row>

/** The place of a parameter in a text that is not run yet. */
class Place<Input> {
  readonly read: (input: Input) => unknown

  constructor(read: (input: Input) => unknown) {
    this.read = read
  }
}

/**
 * Makes the text of a statement once. To put the text of a claim together takes Node as long as PostgreSQL takes to
 * run it on an idle queue, so what is sent often is not put together anew each time.
 */
export function template<Input, Row>(write: (given: Given<Input>) => RawBuilder<Row>): Template<Input, Row> {
  const compiled = write((read) => sql`${new Place(read)}`).compile(compiler)
  const fillIn = (input: Input): unknown[] =>
    compiled.parameters.map((parameter) => (parameter instanceof Place ? parameter.read(input) : parameter))
  return (input) => ({ compile: () => ({ ...compiled, parameters: fillIn(input) }) })
}
