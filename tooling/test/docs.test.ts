import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { errorCodes, limits } from '@queue/core'
import { loadSource } from '../docs/app-programs.ts'
import { checkSamples } from '../docs/check-samples.ts'
import { generatedDocuments } from '../docs/generated-documents.ts'
import { samplesOf } from '../docs/samples.ts'
import { findMissingTests } from '../repository/find-missing-tests.ts'
import { findUntestedGuarantees } from '../repository/find-untested-guarantees.ts'
import { findUnlinkedScenarios } from '../repository/find-unlinked-scenarios.ts'
import { readRepository, type RepositoryFile } from '../repository/repository-file.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

async function documents(): Promise<RepositoryFile[]> {
  return (await readRepository(root)).filter(({ name }) => name.endsWith('.md'))
}

async function textOf(name: string): Promise<string> {
  return (await documents()).find((file) => file.name === name)?.text ?? ''
}

describe('the documents that pnpm docs:write writes', () => {
  test('are up to date', async () => {
    for (const { name, text } of await generatedDocuments(root)) expect(await textOf(name)).toBe(text)
  })
})

/** The table rows of a document whose first cell is a name as code: the second cell by that name. */
async function rowsOf(name: string): Promise<Record<string, string>> {
  const rows = [...(await textOf(name)).matchAll(/^\| `(\w+)` +\| ([^|]+?) +\|/gm)]
  return Object.fromEntries(rows.map(([, key = '', value = '']) => [key, value]))
}

describe('docs/errors.md', () => {
  test('has every error code of the queue', async () => {
    expect(Object.keys(await rowsOf('docs/errors.md'))).toEqual(expect.arrayContaining([...errorCodes]))
  })

  test('has every problem type of the API with its status, and no other', async () => {
    const { problemTypes } = (await loadSource(root, 'apps/api/src/http/problem-types.ts')) as {
      problemTypes: Readonly<Record<string, { readonly status: number }>>
    }
    const statuses = Object.entries(problemTypes).map(([slug, { status }]) => [slug, String(status)])
    expect(await rowsOf('docs/errors.md')).toEqual(Object.fromEntries(statuses))
  })
})

test('every document and every example that drains at SIGTERM drains at SIGINT too, which Ctrl-C sends', async () => {
  const files = (await readRepository(root)).filter(
    ({ name }) => name.endsWith('.md') || /^examples\/.*\/src\/.*\.ts$/.test(name),
  )
  const handlers = files.flatMap(({ name, text }) =>
    text
      .split('\n')
      .filter((line) => /process\.(?:on|once)\(|for \(const signal of/.test(line) && line.includes('SIG'))
      .map((line) => ({ name, line })),
  )
  expect(handlers.length).toBeGreaterThan(5)
  expect(handlers.filter(({ line }) => line.includes('SIGTERM') !== line.includes('SIGINT'))).toEqual([])
})

describe('docs/limits.md', () => {
  test('has every limit of the queue and of the API with its value, and no other', async () => {
    const apiLimits = (await loadSource(root, 'apps/api/src/http/limits.ts')) as Readonly<
      Record<string, number>
    >
    const rows = Object.entries(await rowsOf('docs/limits.md'))
    const documented = rows.map(([name, value]) => [name, Number(value.replaceAll(' ', ''))])
    expect(Object.fromEntries(documented)).toEqual({ ...limits, ...apiLimits })
  })
})

describe('docs/why.md', () => {
  test('has every reason, and no other', async () => {
    const { reasonCodes } = (await loadSource(root, 'packages/core/src/insight/reason.ts')) as {
      reasonCodes: readonly string[]
    }
    expect(Object.keys(await rowsOf('docs/why.md'))).toEqual([...reasonCodes])
  })
})

describe('ARCHITECTURE.md', () => {
  test('names every file of the state machine', async () => {
    const text = await textOf('ARCHITECTURE.md')
    const files = (await readRepository(root)).map(
      ({ name }) => /core\/src\/transitions\/(.+)$/.exec(name)?.[1],
    )
    const unnamed = files.filter((file) => file !== undefined && !text.includes(`/transitions/${file}`))
    expect(unnamed).toEqual([])
  })
})

describe('the samples of a document', () => {
  const document = (text: string) => ({ name: 'README.md', text })
  const block = (code: string) => `\`\`\`ts\n${code}\n\`\`\`\n`

  test('are its ts blocks, with the line numbers of the document', () => {
    const text = `# Title\n\n${block('// jobs.ts\nexport const one = 1')}\n\`\`\`sh\nls\n\`\`\`\n${block('two()')}`
    expect(samplesOf(document(text))).toEqual([
      { document: 'README.md', file: 'jobs.ts', text: '\n\n\n// jobs.ts\nexport const one = 1\n' },
      { document: 'README.md', file: 'line-11.ts', text: `${'\n'.repeat(11)}two()\n` },
    ])
  })

  test('can import one another', async () => {
    const text =
      block('// jobs.ts\nexport const one = 1') + block("import { one } from './jobs.ts'\nvoid one")
    expect(await checkSamples(root, samplesOf(document(text)))).toEqual([])
  })

  test('that do not compile are reported with the line of the document', async () => {
    const [fault, ...more] = await checkSamples(root, samplesOf(document(block("const n: number = 'one'"))))
    expect(fault).toMatch(/^README\.md\/line-1\.ts\(2,7\): error TS2322/)
    expect(more).toEqual([])
  })

  test('in this repository compile', async () => {
    const samples = (await documents()).flatMap(samplesOf)
    expect(samples.map((sample) => sample.document)).toContain('README.md')
    expect(await checkSamples(root, samples)).toEqual([])
  })
})

describe('a link to a test', () => {
  const source = {
    name: 'packages/x/test/x.test.ts',
    text: `describe('a law', () => {\n  test("that isn't broken", () => {})\n  test('that isn\\'t bent', () => {})\n})`,
  }
  const missingTests = (text: string) => findMissingTests([{ name: 'docs/a.md', text }, source])
  const link = (titles: string) => `see [\`${titles}\`](../packages/x/test/x.test.ts).`

  test.each(['a law', "a law › that isn't broken", "that isn't bent"])(
    'is accepted if the test exists: %s',
    (titles) => {
      expect(missingTests(link(titles))).toEqual([])
    },
  )

  test.each(['another law', 'a law › that holds', 'that isn'])(
    'is reported if the test does not exist: %s',
    (titles) => {
      expect(missingTests(link(titles))).toHaveLength(1)
    },
  )
})

describe('a guarantee', () => {
  const faultsOf = (body: string) =>
    findUntestedGuarantees([
      { name: 'docs/guarantees.md', text: `# G\n\n## 1. One\n\n${body}\n\n## Words\n\n-\n` },
    ])
  const testLink = '[`a law`](../packages/x/test/x.test.ts)'

  test('with a test and a paragraph about what is not promised is accepted', () => {
    expect(faultsOf(`${testLink}\n\n**Not promised**: more.`)).toEqual([])
  })

  test('without a test or without that paragraph is reported', () => {
    expect(faultsOf('**Not promised**: more.')).toHaveLength(1)
    expect(faultsOf(testLink)).toHaveLength(1)
  })
})

describe('a scenario of the fault suite', () => {
  const scenario = { name: 'chaos/src/scenarios/kill.ts', text: '' }
  const scenarioTest = { name: 'chaos/test/kill.test.ts', text: '' }
  const guarantees = { name: 'docs/guarantees.md', text: '[`a law`](../chaos/test/kill.test.ts)' }
  const table = { name: 'chaos/README.md', text: '[`kill`](src/scenarios/kill.ts)' }
  const all = [scenario, scenarioTest, guarantees, table]

  test('with a test, a guarantee and a line in the table is accepted; shared files are no scenarios', () => {
    const shared = ['scenario', 'index'].map((name) => ({ name: `chaos/src/scenarios/${name}.ts`, text: '' }))
    expect(findUnlinkedScenarios([...all, ...shared])).toEqual([])
  })

  test.each([scenarioTest, guarantees, table])('without its part in $name is reported', (part) => {
    expect(findUnlinkedScenarios(all.filter((file) => file !== part))).toHaveLength(1)
  })
})
