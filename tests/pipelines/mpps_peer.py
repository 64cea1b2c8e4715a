# SPDX-License-Identifier: LGPL-2.1-or-later
"""A system that keeps performed procedure steps, by Odil, a library that has nothing in
common with DCMTK.  Prints a line of JSON for every message: what it was, its answer,
and its dataset.  Arguments: the port.

It keeps the rules of PS3.4, F.7.2: a UID that it has is 0111H, one that it does not
have 0112H, a step that has ended 0110H."""
import json
import sys

import odil

states = {}


def plain(value):
    return value.decode() if isinstance(value, bytes) else value


def large(pairs):
    """Tags with large letters, as the standard writes them; Odil has small ones."""
    return {key.upper() if len(key) == 8 else key: value for key, value in pairs}


def tell(kind, uid, status, data):
    data = json.loads(odil.as_json(data), object_pairs_hook=large)
    print(json.dumps({"kind": kind, "uid": uid, "status": status, "data": data}),
          flush=True)
    return status


def state_of(data):
    return plain(data.as_string("PerformedProcedureStepStatus")[0])


def create(request):
    uid = plain(request.get_affected_sop_instance_uid())
    data = request.get_data_set()
    status = 0x0111 if uid in states else \
        0 if state_of(data) == "IN PROGRESS" else 0x0106
    if status == 0:
        states[uid] = "IN PROGRESS"
    return tell("create", uid, status, data)


def change(request):
    uid = plain(request.get_requested_sop_instance_uid())
    data = request.get_data_set()
    status = 0x0112 if uid not in states else \
        0 if states[uid] == "IN PROGRESS" else 0x0110
    if status == 0:
        states[uid] = state_of(data)
    return tell("set", uid, status, data)


while True:
    association = odil.Association()
    association.receive_association("v4", int(sys.argv[1]))
    dispatcher = odil.SCPDispatcher(association)
    echo, begin, end = (kind(association) for kind in (
        odil.EchoSCP, odil.NCreateSCP, odil.NSetSCP))
    echo.set_callback(lambda request: 0)
    begin.set_callback(create)
    end.set_callback(change)
    dispatcher.set_echo_scp(echo)
    dispatcher.set_ncreate_scp(begin)
    dispatcher.set_nset_scp(end)
    try:
        while True:
            dispatcher.dispatch()
    except (odil.AssociationReleased, odil.AssociationAborted):
        pass
    except odil.Exception as error:
        print(f"association: {error}", file=sys.stderr)
