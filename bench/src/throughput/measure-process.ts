/** A process that makes one measurement, ordered as JSON on the command line, and prints its result as JSON. */
import { contenders } from '../contenders/index.ts'
import { rawSql } from '../contenders/raw-sql.ts'
import { measure, type MeasurementOrder } from './measurement.ts'

/** The order of one measurement, and whose it is. */
export interface ContenderOrder extends MeasurementOrder {
  readonly contender: string
}

const order = JSON.parse(process.argv[2] ?? '') as ContenderOrder
const contender = [...contenders, rawSql].find(({ name }) => name === order.contender)
if (contender === undefined) throw new Error(`there is no contender ${order.contender}`)
const result = await measure(contender, order)
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(0)
