/** Preloaded into a process: changes modules when they are loaded, so that the product needs no hook for defects. */
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { defectVariable, type SourceDefect, type SourceEdit } from './source-defect.ts'

const { name, edits } = JSON.parse(process.env[defectVariable] ?? '') as SourceDefect
const root = path.join(import.meta.dirname, '..', '..', '..')
const editsByUrl = Map.groupBy(edits, ({ module }) => pathToFileURL(path.join(root, module)).href)

function edited(source: string, { module, find, replace }: SourceEdit): string {
  if (source.split(find).length !== 2) {
    throw new Error(`the text that the mutant "${name}" alters is not in ${module} exactly once`)
  }
  return source.replace(find, () => replace)
}

function textOf(source: string | NodeJS.ArrayBufferView | ArrayBuffer | undefined): string {
  if (source === undefined) return ''
  return typeof source === 'string' ? source : new TextDecoder().decode(source)
}

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    const ownEdits = editsByUrl.get(url)
    return ownEdits === undefined
      ? loaded
      : { ...loaded, source: ownEdits.reduce(edited, textOf(loaded.source)) }
  },
})
