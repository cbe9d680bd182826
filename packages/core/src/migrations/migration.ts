/** One step of the schema. Its text is frozen once it is released. */
export interface Migration {
  /** 1, 2, 3 …, without gaps. */
  readonly version: number
  readonly name: string
  /** The oldest schema version whose code can still run on the schema that this step leaves behind. */
  readonly minCode: number
  /** The SQL of the step; `schema` is the quoted schema identifier. */
  readonly up: (schema: string) => string
  readonly down: (schema: string) => string
}

/** A schema that is brought from step to step, with a ledger of its own of the steps that were applied. */
export interface Lineage {
  /** What it is called in locks and in `pg_stat_activity`. */
  readonly name: string
  readonly schemaDefault: string
  /** What an operator runs to bring it up. */
  readonly upCommand: string
  /** The table of the applied steps, in the schema itself; a plain identifier. */
  readonly ledger: string
  /** Every step, in order. A static list: bundlers and read-only images need no directory to scan. */
  readonly steps: readonly Migration[]
}
