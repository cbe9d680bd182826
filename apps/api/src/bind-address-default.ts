/** Where the API listens unless API_BIND_ADDR says otherwise. */
export const bindAddressDefault = '0.0.0.0:8080'
