import { type VariableDescription, variablesOf } from '@queue/service'
import type { AppProgram } from './app-programs.ts'
import { escapeCell } from './escape-cell.ts'

const head = `# Configuration

<!-- Written by \`pnpm docs:write\` from the configuration schemas of the three processes. Do not edit. -->

Every process reads its environment once, at start. A variable that is set to nothing, or to white space, counts as
unset. A bad value ends the process with exit code 2 and one line that names the variable, what is wrong with it and
what is accepted; all bad variables are named at once. \`--help\` prints the same tables.

Every secret may come from a file instead: \`NAME_FILE\` names the file, and setting both is refused. A secret that is
set and empty is refused as well, so that a slip in a deployment does not leave open what was to be closed.`

/** The page that lists every environment variable of every process. */
export function renderConfiguration(programs: readonly AppProgram[]): string {
  return `${[head, ...programs.map(renderProgram)].join('\n\n')}\n`
}

function renderProgram(program: AppProgram): string {
  const variables = variablesOf(program.config)
  return [
    `## ${program.name}`,
    `\`node ${program.folder}/dist/main.js\``,
    ['| Variable | Default | Accepted | What it does |', '| --- | --- | --- | --- |']
      .concat(variables.map(renderVariable))
      .join('\n'),
  ].join('\n\n')
}

function renderVariable(variable: VariableDescription): string {
  const cells = [
    `\`${variable.name}\``,
    renderDefault(variable),
    variable.accepted,
    variable.secrecy === 'secret'
      ? `${variable.description} A secret: \`${variable.name}_FILE\` may name a file that holds it.`
      : variable.description,
  ]
  return `| ${cells.map(escapeCell).join(' | ')} |`
}

function renderDefault(variable: VariableDescription): string {
  if (variable.presence === 'required') return '**required**'
  return variable.default === undefined ? 'unset' : `\`${variable.default}\``
}
