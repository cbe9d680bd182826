import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { provideHelm } from './helm-program.ts'

export type Values = { readonly [name: string]: unknown }

/** A Kubernetes object. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly data?: Readonly<Record<string, string>>
  // oxlint-disable-next-line typescript/no-explicit-any -- its shape depends on its kind, and each test knows which
  readonly spec: any
}

/** Runs Helm on the chart, with these values over its defaults. Each function throws Helm's error message if it fails. */
export interface Chart {
  /** Every manifest, including those of hooks. */
  render(values: Values): Promise<readonly Manifest[]>
  /** What `helm install` prints. */
  notes(values: Values): Promise<string>
  lint(values: Values): Promise<string>
  close(): Promise<void>
}

/** The oldest Kubernetes version that the chart supports. */
const kubeVersion = '1.30.0'

/** Opens a chart as the release `q` in the namespace `jobs`. */
export async function openChart(directory: string): Promise<Chart> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'queue-helm-'))
  const helm = await provideHelm(scratch)
  // Keeps Helm from reading the configuration of this machine and from finding a cluster.
  const env = { PATH: process.env['PATH'], HOME: scratch, KUBECONFIG: path.join(scratch, 'none') }
  let files = 0
  const run = async (args: readonly string[], values: Values): Promise<string> => {
    const file = path.join(scratch, `values-${(files += 1)}.json`)
    await writeFile(file, JSON.stringify(values))
    const helmArgs = [...args, '--values', file, '--namespace', 'jobs']
    const { stdout } = await promisify(execFile)(helm, helmArgs, { env, maxBuffer: 16 * 1024 * 1024 })
    return stdout
  }
  const version = ['--kube-version', kubeVersion]
  return {
    render: async (values) => manifestsOf(await run(['template', 'q', directory, ...version], values)),
    notes: async (values) => {
      const release = await run(['install', 'q', directory, '--dry-run=client', '--output=json'], values)
      return (JSON.parse(release) as { readonly info: { readonly notes: string } }).info.notes
    },
    lint: async (values) => run(['lint', directory, '--strict', ...version], values),
    close: () => rm(scratch, { recursive: true, force: true }),
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
