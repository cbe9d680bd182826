import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseAllDocuments, parse } from 'yaml'
import { evaluate, isEmpty, type Scope, textOf } from './evaluate.ts'
import { type Node, parseTemplate } from './parse-template.ts'

export type Values = { readonly [name: string]: unknown }

export interface Chart {
  readonly schema: object
  /** The chart's own values with these over them: what Helm holds against the schema, and renders. */
  valuesWith(values: Values): Values
  /** The manifests that the chart makes of its own values with these over them. */
  render(values: Values): readonly Manifest[]
  /** What `helm install` prints. */
  notes(values: Values): string
}

/** A Kubernetes object. */
export interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  // oxlint-disable-next-line typescript/no-explicit-any -- its shape depends on its kind, and each test knows which
  readonly spec: any
}

const release = { Name: 'q', Namespace: 'jobs' }

/**
 * Reads the chart, to render it by the rules of Go's text/template and Sprig as far as the chart uses them: Helm is a
 * Go program, which a machine with Node alone has not. A construct that is not known here throws.
 */
export async function loadChart(directory: string): Promise<Chart> {
  const read = (name: string) => readFile(path.join(directory, name), 'utf8')
  const values = parse(await read('values.yaml')) as Values
  const { appVersion } = parse(await read('Chart.yaml')) as { readonly appVersion: string }
  const names = await readdir(path.join(directory, 'templates'))
  const templates = new Map<string, readonly Node[]>()
  const defines = new Map<string, readonly Node[]>()
  for (const name of names.sort()) {
    const parsed = parseTemplate(await read(path.join('templates', name)))
    for (const [defined, nodes] of parsed.defines) defines.set(defined, nodes)
    if (!name.startsWith('_')) templates.set(name, parsed.body)
  }
  const renderFile = (name: string, given: Values): string => {
    const root = { Values: merge(values, given), Release: release, Chart: { AppVersion: appVersion } }
    return renderTemplate(templates.get(name) ?? [], root, defines)
  }
  const manifestFiles = [...templates.keys()].filter((name) => name.endsWith('.yaml'))
  return {
    schema: JSON.parse(await read('values.schema.json')) as object,
    valuesWith: (given) => merge(values, given),
    render: (given) => manifestFiles.flatMap((name) => manifestsOf(renderFile(name, given))),
    notes: (given) => renderFile('NOTES.txt', given),
  }
}

function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => {
      const [fault] = document.errors
      if (fault !== undefined) throw fault
      return document.toJS() as Manifest | null
    })
    .filter((manifest) => manifest !== null)
}

/** Maps are merged, and everything else replaced. */
function merge(base: Values, over: Values): Values {
  const isMap = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const merged = Object.entries(over).map(([name, value]) => {
    const below = base[name]
    return [name, isMap(value) && isMap(below) ? merge(below, value) : value] as const
  })
  return { ...base, ...Object.fromEntries(merged) }
}

function renderTemplate(
  nodes: readonly Node[],
  root: unknown,
  defines: ReadonlyMap<string, readonly Node[]>,
): string {
  const include = (name: string, dot: unknown): string => {
    const body = defines.get(name)
    if (body === undefined) throw new Error(`no template is called ${name}`)
    return renderTemplate(body, dot, defines)
  }
  return renderNodes(nodes, { dot: root, variables: new Map([['$', root]]), include })
}

/** A variable that is given another value inside a block keeps it behind the block, as in Go. */
function renderNodes(nodes: readonly Node[], scope: Scope): string {
  const variables = new Map(scope.variables)
  const inner = { ...scope, variables }
  let text = ''
  for (const node of nodes) {
    if (node.kind === 'text') text += node.text
    else if (node.kind === 'output') text += textOf(evaluate(node.pipeline, inner))
    else if (node.kind === 'assign') variables.set(node.variable, evaluate(node.pipeline, inner))
    else text += renderBlock(node, inner)
  }
  for (const [name, value] of variables) {
    if (scope.variables.has(name)) (scope.variables as Map<string, unknown>).set(name, value)
  }
  return text
}

function sortedEntries(map: Values): [string, unknown][] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
}

function renderBlock(node: Extract<Node, { kind: 'if' | 'with' | 'range' }>, scope: Scope): string {
  const value = evaluate(node.pipeline, scope)
  if (isEmpty(value)) return renderNodes(node.otherwise, scope)
  if (node.kind === 'if') return renderNodes(node.body, scope)
  if (node.kind === 'with') return renderNodes(node.body, { ...scope, dot: value })
  // Go goes through a map by its keys in order.
  const entries = Array.isArray(value) ? [...value.entries()] : sortedEntries(value as Values)
  return entries
    .map(([key, item]) => {
      const variables = new Map(scope.variables)
      const [first, second] = node.variables
      if (second !== undefined) variables.set(first ?? '', key).set(second, item)
      else if (first !== undefined) variables.set(first, item)
      return renderNodes(node.body, { ...scope, dot: item, variables })
    })
    .join('')
}
