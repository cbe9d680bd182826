/** A process that makes one measurement and prints its result as JSON. The request is JSON on its command line. */
import { contenders } from '../contenders/index.ts'
import { rawSql } from '../contenders/raw-sql.ts'
import { measure, type MeasurementRequest } from './measurement.ts'

/** A measurement of a contender. */
export interface ContenderRequest extends MeasurementRequest {
  readonly contender: string
}

const request = JSON.parse(process.argv[2] ?? '') as ContenderRequest
const contender = [...contenders, rawSql].find(({ name }) => name === request.contender)
if (contender === undefined) throw new Error(`unknown contender ${request.contender}`)
const result = await measure(contender, request)
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(0)
