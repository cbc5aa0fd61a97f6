-- Who works on an import, and until when nobody else may.
alter table imports add column lease_holder uuid, add column leased_until timestamptz;
alter table simulations rename column holder to lease_holder;
alter table simulations rename column held_until to leased_until;
