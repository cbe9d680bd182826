export {
  document,
  type DocumentedOperation,
  documentUrl,
  faultsBySchema,
  findOperation,
  pointerTo,
  resolvePointer,
} from './document.ts'
export { answerFaults, bodyOf } from './answer-faults.ts'
export {
  bodySchema,
  type EncodedRequest,
  encodeRequest,
  requestsOf,
  sampleRequests,
  type ValidRequest,
} from './valid-requests.ts'
