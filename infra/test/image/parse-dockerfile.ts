/** One instruction as an engine reads it: continued lines are one, and comments are gone. */
export interface Instruction {
  readonly keyword: string
  readonly text: string
}

/** A stage from its FROM to the next one. */
export interface Stage {
  readonly name: string
  /** An image, or the name of an earlier stage. */
  readonly base: string
  readonly instructions: readonly Instruction[]
}

/** Reads a Dockerfile whose stages all have names. Variables are replaced where FROM uses them, and nowhere else. */
export function parseDockerfile(text: string): Stage[] {
  const defaults = new Map<string, string>()
  const stages: (Stage & { readonly instructions: Instruction[] })[] = []
  for (const instruction of instructionsOf(text)) {
    const current = stages.at(-1)
    if (instruction.keyword === 'FROM') stages.push({ ...stageOf(instruction, defaults), instructions: [] })
    else if (current !== undefined) current.instructions.push(instruction)
    else defaults.set(...defaultOf(instruction))
  }
  return stages
}

function instructionsOf(text: string): Instruction[] {
  const withoutComments = text.replaceAll(/^\s*#.*\n/gm, '')
  const lines = withoutComments.replaceAll(/\\\n/g, '').split('\n')
  return lines
    .map((line) => /^(?<keyword>[A-Z]+)\s+(?<text>.+?)\s*$/.exec(line)?.groups)
    .filter((groups) => groups !== undefined)
    .map(({ keyword = '', text: rest = '' }) => ({ keyword, text: rest }))
}

function stageOf({ text }: Instruction, defaults: ReadonlyMap<string, string>) {
  const { base = '', name = '' } = /^(?<base>\S+)\s+AS\s+(?<name>\S+)$/.exec(text)?.groups ?? {}
  if (name === '') throw new Error(`FROM ${text} gives its stage no name`)
  return { name, base: base.replaceAll(/\$\{(\w+)\}/g, (_all, key: string) => defaults.get(key) ?? '') }
}

function defaultOf({ keyword, text }: Instruction): [string, string] {
  const [name = '', value = ''] = text.split('=', 2)
  if (keyword !== 'ARG') throw new Error(`${keyword} stands before the first FROM`)
  return [name, value]
}
