#pragma once

/* How often this thread has asked for memory: malloc, calloc, realloc and their aligned kin, freed or not. */
unsigned long stratus_allocations(void);

/* The bytes that all threads have allocated and not freed. */
unsigned long stratus_allocated_bytes(void);
