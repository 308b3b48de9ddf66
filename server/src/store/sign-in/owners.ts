/** Who signs in: an advisor, or one of the staff. */
export type Owner = { advisorId: number; staffId?: undefined } | { staffId: number; advisorId?: undefined };
export type OwnerKind = 'advisor' | 'staff';

export function ownerWith(kind: OwnerKind, id: number): Owner {
  return kind === 'advisor' ? { advisorId: id } : { staffId: id };
}

export function ownerOf(owner: Owner): [column: 'advisor_id' | 'staff_id', id: number] {
  return owner.staffId === undefined ? ['advisor_id', owner.advisorId] : ['staff_id', owner.staffId];
}

/** Both columns: one of them is null. */
export function ownerColumns(owner: Owner | null): [advisorId: number | null, staffId: number | null] {
  return [owner?.advisorId ?? null, owner?.staffId ?? null];
}
