/** The configuration of a producer process. */
export interface ProducerConfig {
  readonly url: string
  readonly schema: string
  /** The prefix of the keys of its orders. */
  readonly prefix: string
  readonly seed: number
  readonly transactions: number
}

/** The `application_name` of its connection. */
export const producerName = 'chaos producer'
