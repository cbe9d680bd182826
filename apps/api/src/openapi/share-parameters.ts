import type { OpenApiDocument } from './add-kinds.ts'

type Paths = NonNullable<OpenApiDocument['paths']>

/** A parameter of an operation, at its index of the operation's parameters. */
interface Use {
  readonly path: string
  readonly name: string
  readonly text: string
  readonly parameters: unknown[]
  readonly index: number
}

/** Moves each parameter that several operations have into the components, and refers to it from there. */
export function shareParameters(document: OpenApiDocument): OpenApiDocument {
  const paths = structuredClone(document.paths ?? {})
  const shared = [...Map.groupBy(usesOf(paths), ({ text }) => text).values()].filter(
    ({ length }) => length > 1,
  )
  const sharedNames = Map.groupBy(shared, ([use]) => use?.name)
  const components = shared.map((uses): [key: string, parameter: unknown] => {
    const [{ path, name, text }] = uses as [Use, ...Use[]]
    // The id of a job is another parameter than that of a dead letter: `jobs.id`, `dead-letters.id`.
    const key = sharedNames.get(name)?.length === 1 ? name : `${path.split('/')[1]}.${name}`
    for (const { parameters, index } of uses) parameters[index] = { $ref: `#/components/parameters/${key}` }
    return [key, JSON.parse(text)]
  })
  const parameters = Object.fromEntries(components.toSorted(([a], [b]) => (a < b ? -1 : 1))) as never
  return { ...document, paths, components: { ...document.components, parameters } }
}

function usesOf(paths: Paths): Use[] {
  return Object.entries(paths).flatMap(([path, { get, put, post, patch, delete: remove }]) =>
    [get, put, post, patch, remove].flatMap(({ parameters = [] } = {}) =>
      parameters.map((parameter, index) => ({
        path,
        name: 'name' in parameter ? parameter.name : '',
        text: JSON.stringify(parameter),
        parameters,
        index,
      })),
    ),
  )
}
