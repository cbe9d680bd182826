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
