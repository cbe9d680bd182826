/** The JSON Schemas of payloads: their check at a registration, and the checks of payloads by them. */
export { createSchemaCompiler, type FaultsOf, findSchemaFaults } from './payload-schemas/compile-schema.ts'
export { linearPattern } from './payload-schemas/linear-pattern.ts'
export { registerDocument } from './payload-schemas/register-document.ts'
