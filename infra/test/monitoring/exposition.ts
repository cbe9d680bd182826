/** One sample of the text format of Prometheus. */
export interface Sample {
  /** With its suffix: `…_bucket`, `…_sum`, `…_count` of a histogram. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const samplePattern = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const labelPattern = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g

/** The samples of a scrape (format 0.0.4). Throws on a line that is neither a sample nor a comment. */
export function parseExposition(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = samplePattern.exec(line) ?? []
      if (name === '') throw new Error(`this is no sample: ${line}`)
      const pairs = [...labels.matchAll(labelPattern)].map(([, label = '', quoted = '']) => [label, quoted])
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }
    })
}

/** The names of all samples with every label that any sample of that name bears. */
export function labelsByName(samples: readonly Sample[]): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>()
  for (const { name, labels } of samples) {
    const seen = known.get(name) ?? new Set()
    known.set(name, seen)
    for (const label of Object.keys(labels)) seen.add(label)
  }
  return known
}

/** The sum of the samples of this name whose labels are these. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0)
}
