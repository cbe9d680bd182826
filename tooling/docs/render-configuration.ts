import { type VariableDescription, variablesOf } from '@queue/service'
import type { AppProgram } from './app-programs.ts'
import { escapeCell } from './escape-cell.ts'

const head = `# Configuration

<!-- Written by \`pnpm docs:write\` from the configuration schemas of the three processes. Do not edit. -->

Every process reads its environment variables once, when it starts. An empty or blank value counts as unset. An invalid
value ends the process with exit code 2 and a line that names the variable, the problem and the accepted values; all
invalid variables are reported at once. \`--help\` prints the same tables.

Every secret can be read from a file: \`NAME_FILE\` is the path of the file. Setting both \`NAME\` and \`NAME_FILE\` is an
error. An empty secret is also an error, so that a mistake in a deployment does not disable a protection.`

/** Renders the page that lists every environment variable of every process. */
export function renderConfiguration(programs: readonly AppProgram[]): string {
  return `${[head, ...programs.map(renderProgram)].join('\n\n')}\n`
}

function renderProgram(program: AppProgram): string {
  const variables = variablesOf(program.config)
  return [
    `## ${program.name}`,
    `\`${program.folder === 'apps/migrate' ? program.name : `node ${program.folder}/dist/main.js`}\``,
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
      ? `${variable.description} This is a secret: \`${variable.name}_FILE\` can name a file that contains it.`
      : variable.description,
  ]
  return `| ${cells.map(escapeCell).join(' | ')} |`
}

function renderDefault(variable: VariableDescription): string {
  if (variable.presence === 'required') return '**required**'
  return variable.default === undefined ? 'unset' : `\`${variable.default}\``
}
