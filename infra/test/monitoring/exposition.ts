/** One sample in the text format of Prometheus. */
export interface Sample {
  /** The name with its suffix: `…_bucket`, `…_sum` or `…_count` of a histogram. */
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
      if (name === '') throw new Error(`this is not a sample: ${line}`)
      const pairs = [...labels.matchAll(labelPattern)].map(([, label = '', quoted = '']) => [label, quoted])
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }
    })
}

/** The names of all samples, each with the labels of all samples of that name. */
export function labelsByName(samples: readonly Sample[]): Map<string, Set<string>> {
  const labelNames = new Map<string, Set<string>>()
  for (const { name, labels } of samples) {
    const labelsOfName = labelNames.get(name) ?? new Set()
    labelNames.set(name, labelsOfName)
    for (const label of Object.keys(labels)) labelsOfName.add(label)
  }
  return labelNames
}

/** The sum of the samples with this name and these labels. */
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
