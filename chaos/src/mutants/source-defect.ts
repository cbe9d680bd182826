/** A defect to plant in the sources of the product when a process of the suite loads them. */
export interface SourceDefect {
  /** The behaviour of the product with the defect. */
  readonly name: string
  readonly edits: readonly SourceEdit[]
}

export interface SourceEdit {
  /** The module's path, from the root of the repository. */
  readonly module: string
  /** The text to replace. It must occur in the module exactly once. */
  readonly find: string
  readonly replace: string
}

export const defectVariable = 'CHAOS_DEFECT'

/** The options that start a process with the defect in its modules and in those of its threads. */
export function plantingOf(defect: SourceDefect): {
  readonly execArgv: readonly string[]
  readonly env: Readonly<Record<string, string>>
} {
  return {
    execArgv: [`--import=${new URL('plant-source-defect.ts', import.meta.url).href}`],
    env: { [defectVariable]: JSON.stringify(defect) },
  }
}
